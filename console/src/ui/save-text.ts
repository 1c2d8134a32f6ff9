const readWithinMs = 1_000;

/** Gives the browser a text to save as a file. */
export function saveText(fileName: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  // Not at once: some browsers begin to read after this returns.
  setTimeout(() => URL.revokeObjectURL(address), readWithinMs);
}
