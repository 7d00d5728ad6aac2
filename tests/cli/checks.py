"""What the tests of pages and files check, one by one; the status tells whether all held."""
import sys

_failures = 0


def check(holds, what):
    global _failures
    if not holds:
        _failures += 1
        print("FAILED:", what)


def conclude(before=""):
    print(f"{before}{_failures} failures")
    sys.exit(1 if _failures else 0)
