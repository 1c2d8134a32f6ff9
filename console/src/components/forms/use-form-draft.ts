import { useLingui } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import type { FieldPath, FieldPathValue, FieldValues } from "react-hook-form";
import { getSession, subscribeSession } from "../../session.ts";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { saveDraft, takeDraft } from "./form-draft-store.ts";

/**
 * Keeps what was typed in a page's form when the server ends the session, and fills it in again
 * when the same user comes back to the page. `secrets` names the fields that are never kept.
 * Returns the form, whose changes are not lost then.
 */
export function useFormDraft<In extends FieldValues>(
  form: ContractForm<In>,
  secrets: readonly (keyof In)[] = [],
): ContractForm<In> {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const { formState, getValues } = form.methods;
  const isKept = useRef(false);
  // The session has forgotten its user when it has ended.
  const username = useRef(getSession().user?.username);

  const keep = useEffectEvent(() => {
    const { user, hasEnded } = getSession();
    if (user !== null || hasEnded !== true || username.current === undefined) return;
    const initial: Record<string, unknown> = { ...formState.defaultValues };
    const changed = Object.entries(getValues()).filter(
      ([name, value]) =>
        !secrets.includes(name) && JSON.stringify(value) !== JSON.stringify(initial[name]),
    );
    if (!form.isDirty || changed.length === 0) return;
    const values = Object.fromEntries(changed);
    saveDraft(sessionStorage, { path: pathname, username: username.current, values });
    isKept.current = true;
  });
  const restore = useEffectEvent(() => {
    if (username.current === undefined) return;
    const values = takeDraft(sessionStorage, pathname, username.current);
    const initial = getValues();
    const known = Object.entries(values ?? {}).filter(([name]) => Object.hasOwn(initial, name));
    for (const [name, value] of known)
      form.set(name as FieldPath<In>, value as FieldPathValue<In, FieldPath<In>>);
    if (known.length > 0)
      toast(t`Your unsaved input from before the session ended is back`, { tone: "info" });
  });
  useEffect(() => subscribeSession(() => keep()), []);
  useEffect(() => restore(), []);

  return { ...form, hasUnsavedChanges: () => !isKept.current && form.hasUnsavedChanges() };
}
