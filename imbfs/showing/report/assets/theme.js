"use strict";
// Dark or light: as the system has it, unless the reader says otherwise.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const say = () => {
    button.textContent = dark() ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
  };
  const kept = (...value) => {
    try { // a page from a file may have no storage
      return value.length ? localStorage.setItem("imbfs-theme", value[0]) : localStorage.getItem("imbfs-theme");
    } catch { return null; }
  };
  if (["dark", "light"].includes(kept())) root.dataset.theme = kept();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    kept(root.dataset.theme);
    say();
  });
  system.addEventListener("change", say);
  button.hidden = false;
  say();
})();
