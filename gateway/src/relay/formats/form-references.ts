/** Files that a form names beside those that it brings. */
import type { MultipartForm } from "../wire/multipart.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import { findReferenceInForm } from "./hold-size/unseen-inputs.ts";

/** Throws `RelayRefused`: nothing would know whose a named file is, nor how long. */
export function refuseReferences({ parts }: MultipartForm, code: string): void {
  const name = findReferenceInForm(parts.map((part) => part.name));
  if (name !== undefined)
    throw refuseBadRequest(code, `${name}: is not taken in a form; send the file itself`, name);
}
