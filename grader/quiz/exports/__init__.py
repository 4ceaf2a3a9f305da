"""The bank for other systems: Moodle (GIFT), Canvas (QTI 1.2) and Anki. What a target cannot hold is said."""
