/**
 * `FormDraft` is what was typed in a form when the session ended. The tab keeps one draft; secrets
 * are never part of it.
 */
type FormDraft = { path: string; username: string; values: Readonly<Record<string, unknown>> };

const storeKey = "form-draft";

export function saveDraft(store: Pick<Storage, "setItem">, draft: FormDraft) {
  try {
    store.setItem(storeKey, JSON.stringify(draft));
  } catch {
    // A full or forbidden store: the draft is lost, as before.
  }
}

/** The values for this page and user, which are removed, and so are those for another user. */
export function takeDraft(
  store: Pick<Storage, "getItem" | "removeItem">,
  path: string,
  username: string,
): FormDraft["values"] | undefined {
  const draft = readDraft(store);
  if (draft === undefined || (draft.path !== path && draft.username === username)) return undefined;
  store.removeItem(storeKey);
  return draft.username === username ? draft.values : undefined;
}

function readDraft(store: Pick<Storage, "getItem">): FormDraft | undefined {
  try {
    const draft: unknown = JSON.parse(store.getItem(storeKey) ?? "null");
    const { path, username, values } = (draft ?? {}) as Partial<FormDraft>;
    if (typeof path !== "string" || typeof username !== "string") return undefined;
    if (typeof values !== "object" || values === null || Array.isArray(values)) return undefined;
    return { path, username, values };
  } catch {
    return undefined;
  }
}
