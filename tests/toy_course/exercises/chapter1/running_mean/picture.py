"""Draws the values and their running mean."""


def draw(learner, axes):
    """The values as dots, and the mean of all so far as a line through them."""
    values = [float((7 * step) % 11) for step in range(40)]
    axes.plot(values, ".", label="values")
    axes.plot(learner.running_mean(values), label="running mean")
    axes.set_xlabel("values seen")
    axes.legend()
