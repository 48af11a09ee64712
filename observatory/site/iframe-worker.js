// A page that was opened from a folder may not start a worker. This one runs its script in a hidden frame instead.
// The search asks for `IFrameWorker`, and finds the folder of its other scripts by the frame's script.
if (location.protocol === "file:") {
  window.IFrameWorker = class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const script = this.inside.document.createElement("script");
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = (...urls) => Promise.all(urls.map((each) => this.load(each)));
      script.addEventListener("load", () => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach((data) => this.tell(data));
      });
      script.src = String(url);
      this.inside.document.body.append(script);
    }

    set onmessage(listener) {
      this.addEventListener("message", listener);
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        script.addEventListener("load", done);
        script.addEventListener("error", failed);
        script.src = url;
        this.inside.document.body.append(script);
      });
    }

    tell(data) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.tell(data);
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
