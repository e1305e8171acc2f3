class Unusable(Exception):
    """The input cannot be used; the text is a sentence that says why."""
