//! One tab: what is evaluated in it, typed into it, and seen of it.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Result;
use crate::chromium::Connection;

/// Something that the page's console reported as an error: an exception, a file that is missing,
/// what its content security policy refused.
pub type Problem = String;

/// A tab of a [`Browser`](crate::Browser).
pub struct Page {
    connection: Rc<RefCell<Connection>>,
    session: String,
    target: String,
}

impl Page {
    pub(crate) fn new(
        connection: Rc<RefCell<Connection>>,
        session: String,
        target: String,
    ) -> Self {
        Self {
            connection,
            session,
            target,
        }
    }

    pub(crate) fn begin(&self, url: &str) -> Result<()> {
        for domain in [
            "Runtime",
            "Log",
            "Page",
            "Accessibility",
            "DOM",
            "Performance",
        ] {
            self.call(&format!("{domain}.enable"), json!({}))?;
        }
        self.resize(1280, 800, false)?;
        self.go(url)
    }

    /// Sends a command of the DevTools protocol for this tab.
    ///
    /// # Errors
    /// When Chromium refuses it.
    pub fn call(&self, method: &str, parameters: Value) -> Result<Value> {
        let session = Some(&*self.session);
        self.connection
            .borrow_mut()
            .call(session, method, parameters)
    }

    /// Goes to another address.
    ///
    /// # Errors
    /// When nothing answers there.
    pub fn go(&self, url: &str) -> Result<()> {
        let answer = self.call("Page.navigate", json!({"url": url}))?;
        match answer["errorText"].as_str() {
            None => Ok(()),
            Some(error) => Err(format!("{url}: {error}")),
        }
    }

    /// Sets the size in CSS pixels; a phone also has touch and twice as many pixels.
    ///
    /// # Errors
    /// When Chromium refuses.
    pub fn resize(&self, width: u32, height: u32, phone: bool) -> Result<()> {
        let factor = if phone { 2 } else { 1 };
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": factor, "mobile": phone});
        self.call("Emulation.setDeviceMetricsOverride", size)?;
        let touch = json!({"enabled": phone});
        self.call("Emulation.setTouchEmulationEnabled", touch)?;
        Ok(())
    }

    /// The value of a JavaScript expression, which may be a promise.
    ///
    /// # Errors
    /// When it throws, with the exception.
    pub fn eval(&self, expression: &str) -> Result<Value> {
        let parameters = json!({"expression": expression, "awaitPromise": true,
            "returnByValue": true, "userGesture": true});
        let mut answer = self.call("Runtime.evaluate", parameters)?;
        let exception = &answer["exceptionDetails"];
        if exception.is_null() {
            return Ok(answer["result"]["value"].take());
        }
        let text = exception["exception"]["description"].as_str();
        Err(format!("{expression}: {}", text.unwrap_or("it threw")))
    }

    /// Waits until an expression is truthy, and returns its value.
    ///
    /// # Errors
    /// When it is not within `limit`: its last value, the page's state, and its problems.
    pub fn wait(&self, expression: &str, limit: Duration) -> Result<Value> {
        let deadline = Instant::now() + limit;
        loop {
            let guarded = format!(
                "(() => {{ try {{ return {expression}; }} catch (e) {{ return null; }} }})()"
            );
            let value = self.eval(&guarded)?;
            let is_falsy = value.is_null() || value == false || value == 0 || value == "";
            if !is_falsy {
                return Ok(value);
            }
            if Instant::now() >= deadline {
                let state = self.eval("document.querySelector('[role=status]')?.textContent + JSON.stringify(window.qpuscope?.state?.())");
                return Err(format!(
                    "{expression} was {value} after {} s; state {state:?}; problems {:?}",
                    limit.as_secs(),
                    self.problems()
                ));
            }
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Takes what the console has reported as errors since the last call.
    pub fn problems(&self) -> Vec<Problem> {
        // Any answer brings the events before it.
        let _ = self.eval("0");
        let events = self.connection.borrow_mut().take_events(&self.session);
        events.iter().filter_map(problem).collect()
    }

    /// Presses and lets go of a key, as `KeyboardEvent.key` names it.
    ///
    /// # Errors
    /// When Chromium refuses.
    pub fn key(&self, key: &str) -> Result<()> {
        let mut down = json!({"type": "keyDown", "key": key});
        if key.chars().count() == 1 {
            down["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", down)?;
        let up = json!({"type": "keyUp", "key": key});
        self.call("Input.dispatchKeyEvent", up)?;
        Ok(())
    }

    /// Clicks on the middle of the first element that a CSS selector finds.
    ///
    /// # Errors
    /// When there is none, or it cannot be seen.
    pub fn click(&self, selector: &str) -> Result<()> {
        let quoted = json!(selector).to_string();
        let middle = self.eval(&format!(
            "(() => {{ const e = document.querySelector({quoted}); e.scrollIntoView({{block: 'center'}});
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width * r.height]; }})()"
        ))?;
        if middle[2] == 0.0 || middle[2] == 0 {
            return Err(format!("{selector} is not to be seen"));
        }
        self.mouse("mousePressed", middle[0].clone(), middle[1].clone())?;
        self.mouse("mouseReleased", middle[0].clone(), middle[1].clone())
    }

    fn mouse(&self, kind: &str, x: Value, y: Value) -> Result<()> {
        let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event)?;
        Ok(())
    }

    /// Writes a picture of what is to be seen as a PNG file.
    ///
    /// # Errors
    /// When Chromium makes none, or the file cannot be written.
    pub fn screenshot(&self, path: &Path) -> Result<()> {
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}))?;
        let text = answer["data"].as_str().unwrap_or_default();
        let bytes = data_encoding::BASE64
            .decode(text.as_bytes())
            .map_err(|error| error.to_string())?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Role and name of every node of the accessibility tree that a reader meets.
    ///
    /// # Errors
    /// When Chromium makes none.
    pub fn accessible(&self) -> Result<Vec<(String, String)>> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}))?;
        let nodes = tree["nodes"].as_array().map_or(&[][..], Vec::as_slice);
        let met = nodes.iter().filter(|node| node["ignored"] != true);
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        Ok(met
            .map(|node| (text(&node["role"]), text(&node["name"])))
            .collect())
    }

    /// Closes the tab.
    ///
    /// # Errors
    /// When Chromium refuses.
    pub fn close(self) -> Result<()> {
        let target = json!({"targetId": self.target});
        self.connection
            .borrow_mut()
            .call(None, "Target.closeTarget", target)?;
        Ok(())
    }
}

fn problem(event: &Value) -> Option<Problem> {
    let parameters = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            let details = &parameters["exceptionDetails"];
            let text = details["exception"]["description"].as_str();
            Some(text.or(details["text"].as_str())?.to_owned())
        }
        "Log.entryAdded" if parameters["entry"]["level"] == "error" => {
            let entry = &parameters["entry"];
            Some(format!("{} {}", entry["text"], entry["url"]))
        }
        "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
            Some(parameters["args"].to_string())
        }
        _ => None,
    }
}
