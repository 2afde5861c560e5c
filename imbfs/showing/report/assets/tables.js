"use strict";
// Tables that sort by a column and show only the rows that hold a text; tables to take away.
(() => {
  const value = (row, column) => row.cells[column].textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [parseFloat(a), parseFloat(b)];
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return isNaN(x) ? (a < b ? -1 : a > b ? 1 : 0) : x - y;
  };

  function sort(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    const empty = (row) => ["", "–"].includes(value(row, column));
    rows.sort((a, b) => empty(a) - empty(b) || (up ? 1 : -1) * compare(value(a, column), value(b, column)));
    table.tBodies[0].append(...rows);
  }

  function filtered(table) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    label.className = "filter";
    label.append("Rows with ", input);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.parentElement.before(label);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      button.addEventListener("click", () => sort(table, column));
      cell.append(button);
    });
    if (table.tBodies[0].rows.length > 12) filtered(table);
  }

  // A large table is kept compressed: unpack it before it is saved, where the browser can.
  for (const link of document.querySelectorAll("a[data-packed]")) {
    link.addEventListener("click", async (event) => {
      if (typeof DecompressionStream === "undefined") return;
      event.preventDefault();
      const packed = Uint8Array.from(atob(link.href.split(",")[1]), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      const plain = document.createElement("a");
      plain.href = URL.createObjectURL(new Blob([await new Response(stream).blob()], { type: "text/csv" }));
      plain.download = link.download.replace(/\.gz$/, "");
      plain.click();
      setTimeout(() => URL.revokeObjectURL(plain.href), 10000);
    });
  }
})();
