/**
 * Copies if the browser allows it. On plain http it selects the visible text for the user to copy.
 */
export async function copyText(
  text: string,
  near?: Element,
): Promise<"copied" | "selected" | "failed"> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return copyByCommand(text, near) ? "copied" : selectNearby(text, near) ? "selected" : "failed";
  }
}

function copyByCommand(text: string, near?: Element): boolean {
  // A modal dialog makes everything outside inert, so the text area must be inside it.
  const host = near?.closest("dialog") ?? document.body;
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  area.className = "fixed top-0 left-0 opacity-0";
  const before = document.activeElement;
  host.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}

function selectNearby(text: string, near?: Element): boolean {
  for (let ancestor = near?.parentElement; ancestor; ancestor = ancestor.parentElement) {
    const walker = document.createTreeWalker(ancestor, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.nodeValue?.includes(text)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const selection = getSelection();
      selection?.removeAllRanges();
      selection?.addRange(range);
      return true;
    }
  }
  return false;
}
