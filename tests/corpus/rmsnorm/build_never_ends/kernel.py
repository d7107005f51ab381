"""The build sleeps for ever at import."""

import time


while True:
    time.sleep(0.05)
