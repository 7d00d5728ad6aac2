"""Headless Chromium by its DevTools protocol, over a pipe: real keys, emulated media."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile


class Browser:
    def __init__(self, chromium):
        # Helpers of the browser outlive it for a moment, and may write there while it is removed.
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # It reads commands from file 3, and answers to file 4.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null', chromium, "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.count = 0
        self.console = []
        self.loaded = False
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.profile.cleanup()

    def read(self):
        text = bytearray()
        while (byte := self.process.stdout.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has ended")
            text += byte
        answer = json.loads(text)
        method = answer.get("method")
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(answer["params"])
        self.loaded = self.loaded or method == "Page.loadEventFired"
        return answer

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        self.process.stdin.flush()
        while (answer := self.read()).get("id") != self.count:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, page):
        self.loaded = False
        self.send("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        while not self.loaded:
            self.read()

    def media(self, kind="", scheme="light"):
        self.send("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, script):
        """Of an expression, or of a promise of it."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key, shift=False):
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40, "ArrowUp": 38, "/": 191}
        about = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper())),
                 "modifiers": 8 if shift else 0}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)
