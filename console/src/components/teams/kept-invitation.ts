/** The secret of an invitation's link: behind `#`, so that no server sees it in an address. */
const place = "team_invitation";

const codePattern = /^[\w-]{16,128}$/;

/** While the reader signs in, which leads through other addresses. */
export function keepCode(code: string): void {
  try {
    sessionStorage.setItem(place, code);
  } catch {
    // Without storage, the reader opens the link again after the sign-in.
  }
}

/** `readCode` is of the address, else what was kept; empty for none. */
export function readCode(hash: string): string {
  const named = hash.replace(/^#/, "");
  if (codePattern.test(named)) return named;
  try {
    const kept = sessionStorage.getItem(place) ?? "";
    return codePattern.test(kept) ? kept : "";
  } catch {
    return "";
  }
}
