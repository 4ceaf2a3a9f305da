"""The quiz in a browser: forms that work without JavaScript, on this machine only, offline."""
