import { useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import { readReason } from "../../api-error.ts";
import { composeRandomKey } from "../forms/idempotency-key.ts";
import type { BatchEntry } from "./batch-names.ts";

/**
 * Makes one thing for each name, one after another, and keeps what became of each. A name keeps its
 * idempotency key, so that a second try after a lost reply makes nothing twice.
 */
export function useBatch() {
  const { t } = useLingui();
  const [entries, setEntries] = useState<readonly BatchEntry[]>();
  const [isRunning, setRunning] = useState(false);
  const keys = useRef(new Map<string, string>());
  const make = useRef<(name: string, idempotencyKey: string) => Promise<string>>(undefined);

  const keyOf = (name: string): string => {
    const key = keys.current.get(name) ?? composeRandomKey();
    keys.current.set(name, key);
    return key;
  };
  const run = async (names: readonly string[]) => {
    setRunning(true);
    for (const name of names) {
      const outcome = await tryOne(name);
      setEntries((all) => all?.map((entry) => (entry.name === name ? outcome : entry)));
    }
    setRunning(false);
  };
  const tryOne = async (name: string): Promise<BatchEntry> => {
    try {
      return { name, secret: (await make.current?.(name, keyOf(name))) ?? "" };
    } catch (error) {
      return { name, failure: readReason(error, t`Operation failed`) };
    }
  };

  return {
    entries,
    isRunning,
    /** `create` resolves to the secret of what it made. */
    start(
      names: readonly string[],
      create: (name: string, idempotencyKey: string) => Promise<string>,
    ) {
      make.current = create;
      setEntries(names.map((name) => ({ name })));
      void run(names);
    },
    retry: () =>
      void run(
        (entries ?? []).flatMap(({ name, failure }) => (failure === undefined ? [] : [name])),
      ),
  };
}
