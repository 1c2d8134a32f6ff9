import { useQuery } from "@tanstack/react-query";
import { renameField } from "@tollgate/contract/api/field-message.ts";
import { isSecretOption, listOptions, updateOption } from "@tollgate/contract/site/options.ts";
import { ApiError, findRequestId } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import type { OptionChange } from "../../components/settings/option-sections.ts";
import { refreshNotice, refreshStatus } from "../../shell/start-session.ts";

export type StoredOptions = {
  values: ReadonlyMap<string, string>;
  /** `defaults` are the values before root changes a setting, where the server names them. */
  defaults: ReadonlyMap<string, string>;
  secretsSet: ReadonlySet<string>;
};

export function useOptions() {
  return useQuery({
    ...api.query(listOptions),
    select: ({ data, secrets_set }): StoredOptions => ({
      values: new Map(data.map(({ key, value }) => [key, value])),
      defaults: new Map(
        data.flatMap(({ key, default_value: value }) =>
          value === undefined ? [] : [[key, value] as const],
        ),
      ),
      secretsSet: new Set(secrets_set),
    }),
  });
}

/**
 * Saves one option after the other, because a later one may need an earlier one. Calls `onSaved`
 * for each, and resolves to why the server refused others. Without an answer, or without the right,
 * the rest is not tried.
 */
export async function saveOptions(
  changes: readonly OptionChange[],
  onSaved: (change: OptionChange) => void,
): Promise<ApiError[]> {
  const refusals: ApiError[] = [];
  try {
    for (const change of changes) {
      try {
        await api.call(updateOption, { body: change });
        onSaved(change);
      } catch (error) {
        if (!isOfOneOption(error)) throw error;
        refusals.push(addFieldName(error, change.key));
      }
    }
  } finally {
    await refreshAfterSaving();
  }
  return refusals;
}

/** Servers of the family refuse with status 200. */
const isOfOneOption = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.status === 400 || error.status === 409 || error.status === 200);

export async function clearSecret(key: string) {
  await api.call(updateOption, { body: { key, value: "", clear: true } });
  await refreshAfterSaving();
}

/** Names, links and flags appear on every page and must update at once. */
async function refreshAfterSaving() {
  await Promise.all([api.refresh(listOptions), refreshStatus(), refreshNotice()]);
}

/** The API has one field `value`; the page names the option instead. */
function addFieldName(error: ApiError, key: string): ApiError {
  const { value } = error.fields;
  const message = value === undefined ? error.message : renameField(value, "value", key);
  const requestId = findRequestId(error);
  return new ApiError(message, {
    status: error.status,
    code: error.code,
    requestId,
    fields: { [key]: message },
  });
}

export const isOffered = (key: string, { values }: StoredOptions) =>
  isSecretOption(key) || values.has(key);
