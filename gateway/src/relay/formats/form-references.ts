/** Files that a form names beside those that it brings. */
import type { MultipartForm } from "../wire/multipart.ts";
import { badRequest } from "../wire/relay-refusal.ts";
import { referenceInForm } from "./unseen-inputs.ts";

/** Throws `RelayRefused`: nothing would know whose a named file is, nor how long. */
export function refuseReferences({ parts }: MultipartForm, code: string): void {
  const name = referenceInForm(parts.map((part) => part.name));
  if (name !== undefined) throw badRequest(code, `${name}: is not taken in a form; send the file itself`, name);
}
