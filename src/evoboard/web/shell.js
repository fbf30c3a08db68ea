// Runs in the head of every page: the theme before anything is drawn, and what the shell remembers.
const evoboard = {
  themes: ["system", "light", "dark"],

  chosen() {
    return localStorage.getItem("evoboard.theme") || "system";
  },

  applyTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)").matches;
    const dark = evoboard.chosen() === "dark" || (evoboard.chosen() === "system" && system);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    window.Quasar?.Dark?.set(dark);
  },

  nextTheme() {
    const next = evoboard.themes[(evoboard.themes.indexOf(evoboard.chosen()) + 1) % 3];
    localStorage.setItem("evoboard.theme", next);
    evoboard.applyTheme();
    const words = { system: "As the system", light: "Light", dark: "Dark" };
    window.Quasar?.Notify?.create({ message: words[next], timeout: 1200 });
  },

  // The address names the game; the links to the pages lead back to it, in this tab.
  replaceAddress(address) {
    history.replaceState(null, "", address);
    evoboard.remember();
  },

  remember() {
    sessionStorage.setItem(`evoboard.at.${location.pathname}`, location.search);
    for (const link of document.querySelectorAll("a[data-page]")) {
      const path = link.getAttribute("href").split("?")[0];
      link.setAttribute("href", path + (sessionStorage.getItem(`evoboard.at.${path}`) || ""));
    }
  },

  copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Only secure pages have a clipboard; others still have this.
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  },

  // Say so where the server is not the one this tab has talked to before.
  greet() {
    const known = sessionStorage.getItem("evoboard.boot");
    sessionStorage.setItem("evoboard.boot", EVOBOARD_BOOT);
    if (!known || known === EVOBOARD_BOOT) return;
    const notice = document.createElement("div");
    notice.className = "notice";
    notice.setAttribute("role", "status");
    notice.append("The server was restarted. Everything saved is as it was.");
    const close = document.createElement("button");
    close.textContent = "OK";
    close.onclick = () => notice.remove();
    notice.append(close);
    document.querySelector(".top")?.after(notice);
  },
};

evoboard.applyTheme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", evoboard.applyTheme);
// The page's own script builds its elements; they are there when the header is.
const waiting = new MutationObserver(() => {
  if (!document.querySelector(".top")) return;
  waiting.disconnect();
  evoboard.applyTheme();
  evoboard.remember();
  evoboard.greet();
});
waiting.observe(document.documentElement, { childList: true, subtree: true });
