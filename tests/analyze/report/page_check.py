"""What the checks of pages share: a page in headless Chromium, its state, and what must hold for every page."""
import base64
import fcntl
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SCHEMES = ("light", "dark")
PATIENCE = 60  # seconds for one answer, on a machine that is busy

# What the page says about itself; run inside it.
STATE = r"""(() => {
  const luminance = text => {
    const channels = text.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * channels[0] + .7152 * channels[1] + .0722 * channels[2];
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let contrast = 21, faintest = "";
  for (const element of document.querySelectorAll(
    "h1,h2,h3,h4,p,li,dt,dd,b,td,th,small,a,summary,caption,label,legend,button")) {
    const pair = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => b - a);
    const ratio = (pair[0] + .05) / (pair[1] + .05);
    if (ratio < contrast) [contrast, faintest] = [ratio, element.tagName + " " + element.textContent.slice(0, 40)];
  }
  const charts = [...document.querySelectorAll("canvas[data-chart]")].map(canvas => {
    const chart = Chart.getChart(canvas);
    // Read from a copy: the browser warns of pages that read their canvases.
    const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height});
    const context = copy.getContext("2d", {willReadFrequently: true});
    context.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    return {name: canvas.dataset.chart + " of matrix " + canvas.dataset.matrix,
            points: chart ? chart.data.datasets.flatMap(set => set.data).filter(v => v !== null).length : 0,
            painted: new Set(pixels).size, labelled: canvas.hasAttribute("aria-label"),
            numbers: canvas.closest("figure").querySelectorAll("table td").length};
  });
  return {charts, contrast, faintest, background: getComputedStyle(document.body).backgroundColor,
          overflow: document.documentElement.scrollWidth - innerWidth,
          pictures: [...document.images].map(image => image.complete && image.naturalWidth > 0),
          shown: [...document.images].map(image => image.currentSrc),
          anchors: [...document.querySelectorAll("a")].filter(a => !document.querySelector(a.hash)).map(a => a.hash),
          identical_ids: document.querySelectorAll("[id]").length -
                         new Set([...document.querySelectorAll("[id]")].map(e => e.id)).size,
          footer: document.querySelector("footer")?.textContent ?? "",
          written: Date.parse(document.querySelector("footer time")?.dateTime ?? ""),
          height: document.documentElement.scrollHeight};
})()"""

# What is wrong with where things are, as sentences: holes beneath cards, figures that end in the middle without a sign,
# text that runs out of its cell, and what reaches over the edge of the window.
LAYOUT = r"""(async () => {
  const problems = [], place = element => element.getBoundingClientRect();
  const settled = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const called = element => (element.querySelector("caption, h4, h3")?.textContent ?? element.textContent).slice(0, 40);
  for (const grid of document.querySelectorAll(".cards")) {
    if (grid.querySelector("details[open]")) continue;
    const rows = new Map();
    for (const card of grid.children) {
      const top = Math.round(place(card).top);
      rows.set(top, [...rows.get(top) ?? [], card]);
    }
    for (const row of rows.values()) {
      const end = Math.max(...row.map(card => place(card).bottom));
      for (const card of row) if (end - place(card).bottom > 2) problems.push("a hole beneath " + called(card));
    }
    for (const figure of grid.querySelectorAll("figure.card")) {
      const left = place(figure).bottom - place(figure.lastElementChild).bottom;
      if (left > 64) problems.push(`a hole of ${Math.round(left)} pixels in ${called(figure)}`);
    }
  }
  const folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
  await settled();
  for (const scroll of document.querySelectorAll(".scroll")) {
    const line = scroll.nextElementSibling, hidden = scroll.scrollWidth - scroll.clientWidth > 1;
    const told = line?.offsetHeight > 0 && /^\d+ more columns? →$/.test(line.textContent);
    const shadow = getComputedStyle(scroll).boxShadow !== "none";
    if (hidden && (!told || !shadow)) problems.push("no sign that there is more of " + called(scroll));
    if (!hidden && shadow) problems.push("a sign that there is more of " + called(scroll));
    if (!hidden) continue;
    scroll.scrollLeft = scroll.scrollWidth;
    await settled();
    if (!/^← \d+ more columns?$/.test(line?.textContent)) problems.push("no way back in " + called(scroll));
    scroll.scrollLeft = 0;
  }
  await settled();
  for (const cell of document.querySelectorAll("td, th")) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const text = range.getBoundingClientRect(), box = place(cell);
    if (text.width > 0 && box.width > 0 && (text.right > box.right + 1 || text.left < box.left - 1))
      problems.push("text beyond its cell: " + cell.textContent.slice(0, 40));
  }
  for (const element of document.querySelectorAll("main *")) {
    if (element.closest(".scroll, pre, dialog, legend") !== null || place(element).width === 0) continue;
    if (place(element).right > innerWidth + 1)
      problems.push(`${element.tagName} reaches over the edge: ${element.textContent.slice(0, 40)}`);
  }
  for (const one of folded) one.open = false;
  await settled();
  return [...new Set(problems)].slice(0, 12);
})()"""

class Browser:
    """The DevTools protocol over a pair of pipes: messages are JSON, each ended by a zero byte."""

    def __init__(self, program, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4; the pipes' own numbers must not be among these.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_browser, from_browser)]

        def place_pipes():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        command = [program, "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
                   f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # it does not start as root otherwise
        self.process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=place_pipes,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (to_browser, from_browser, *high):
            os.close(fd)
        self.buffer = b""
        self.last_id = 0
        self.events = []
        self.session = None

    def receive(self):
        limit = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, limit - time.monotonic()))
            part = os.read(self.read_end, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer" if not ready else "the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open_tab(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")  # ended otherwise, it may still write into its folder
            self.process.wait(timeout=10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def complaints(events):
    """What the browser wrote to its console, and what it loaded beside the page."""
    found = []
    for event in events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            found.append("exception: " + json.dumps(parameters["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            found.append("console: " + json.dumps(parameters["args"])[:400])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            found.append("log: " + parameters["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            found.append("dialog: " + parameters["message"])
        elif method == "Network.requestWillBeSent" and parameters.get("type") != "Document":
            if not parameters["request"]["url"].startswith("data:"):
                found.append("loads " + parameters["request"]["url"][:200])
    return found


def take_picture(browser, file, width, height):
    area = {"x": 0, "y": 0, "width": width, "height": min(height, 12000), "scale": 1}
    picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip=area)["data"]
    file.write_bytes(base64.b64decode(picture))


def check_page(browser, page, width, scheme, actions, folder, after=()):
    """`actions`: what a click is to do, and a script that does it and says whether it was done; or a function of the
    browser that does. `after`: further pictures, each a name, a script before it and one behind it."""
    problems = []
    browser.events.clear()
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                 mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Page.navigate", url=page.resolve().as_uri())
    browser.wait_for("Page.loadEventFired")
    state = browser.evaluate(STATE)

    if not state["charts"]:
        problems.append("no charts")
    for chart in state["charts"]:
        if chart["points"] == 0 or chart["painted"] < 4:
            problems.append(f"{chart['name']} is empty: {chart['points']} points, {chart['painted']} colours")
        if not chart["labelled"] or chart["numbers"] == 0:
            problems.append(f"{chart['name']} has no label or no table")
    if not all(state["pictures"]):
        problems.append("a picture does not show")
    if state["overflow"] > 0:
        problems.append(f"{state['overflow']} pixels wider than the window")
    if state["contrast"] < 4.5:
        problems.append(f"contrast {state['contrast']:.2f} at {state['faintest']}")
    if state["anchors"] or state["identical_ids"]:
        problems.append(f"links to nowhere {state['anchors']}, {state['identical_ids']} ids used twice")
    if not re.search(r"Sparsmith \d+\.\d+", state["footer"]) or "Device: " not in state["footer"] or not state["written"]:
        problems.append(f"the end of the page names no version, device or date: {state['footer']}")
    problems += browser.evaluate(LAYOUT)
    if folder:
        take_picture(browser, folder / f"{page.stem}-{width}-{scheme}.png", width, state["height"])
        for name, before, behind in after:
            browser.evaluate(before)
            take_picture(browser, folder / f"{page.stem}-{width}-{scheme}-{name}.png", width, 900)
            browser.evaluate(behind)

    problems += complaints(browser.events)
    if problems:  # what is broken already would only fail again, and say less
        return [f"{width} px, {scheme}: {problem}" for problem in problems]
    browser.events.clear()
    problems += [f"{what} does not work" for what, action in actions
                 if not (action(browser) if callable(action) else browser.evaluate(action))]
    browser.evaluate("document.getElementById('theme').click()")
    toggled = browser.evaluate(STATE)
    if toggled["background"] == state["background"] or toggled["contrast"] < 4.5 or (
            state["shown"] and toggled["shown"] == state["shown"]):
        problems.append(f"the switch of the colours: {toggled['background']}, contrast {toggled['contrast']:.2f}")
    if any(chart["painted"] < 4 for chart in toggled["charts"]):
        problems.append("a chart is empty after the switch of the colours")
    return [f"{width} px, {scheme}: {problem}" for problem in problems + complaints(browser.events)]


def run(usage, widths, actions, after=(), tell=None):
    """Everything for the page that the command line names, and the end of the program. `tell`: a script, run in the
    page in the end, that gives a line for whoever reads the log."""
    if len(sys.argv) not in (2, 3):
        sys.exit(usage)
    name = pathlib.Path(sys.argv[0]).stem
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print(f"{name}: SKIPPED, no Chromium")
        sys.exit(77)
    page = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    problems = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            browser.open_tab()
            for width in widths:
                for scheme in SCHEMES:
                    problems += check_page(browser, page, width, scheme, actions, folder, after)
                    if tell and not problems:
                        print(f"{name}: {width} px, {scheme}: {browser.evaluate(tell)}")
        finally:
            browser.close()
    for problem in problems:
        print(f"{page}: {problem}", file=sys.stderr)
    print(f"{name}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
