// Everything works without this file. It adds digits as keys for choices, and moves steps without loading a page.
"use strict";

const form = document.querySelector("form[data-kind]");

function typing(target) {
  return target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
}

document.addEventListener("keydown", (event) => {
  if (!form || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const choices = form.querySelectorAll(".choice input");
  const choice = choices[Number(event.key) - 1];
  if (!choice || !/^[1-9]$/.test(event.key)) return;
  choice.focus();
  choice.click();
  event.preventDefault();
});

function refresh(list) {
  const items = [...list.children];
  items.forEach((item, at) => {
    item.querySelector("button[value$=':up']").disabled = at === 0;
    item.querySelector("button[value$=':down']").disabled = at === items.length - 1;
  });
}

form?.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=move]");
  if (!button) return;
  event.preventDefault();
  const item = button.closest("li");
  const up = button.value.endsWith(":up");
  const other = up ? item.previousElementSibling : item.nextElementSibling;
  if (!other) return;
  if (up) other.before(item);
  else other.after(item);
  refresh(item.parentElement);
  const next = button.disabled ? item.querySelector("button[name=move]:not(:disabled)") : button;
  next?.focus();
});
