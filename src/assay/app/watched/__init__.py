"""Commands that judge a file again at every save."""
