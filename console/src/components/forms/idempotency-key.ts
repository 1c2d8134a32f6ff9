import { useRef } from "react";

/**
 * `useIdempotencyKey` gives one key per body: submitting the same form again is a retry, submitting
 * a changed one is a new creation.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef<{ text: string; key: string }>(undefined);
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current?.text !== text) last.current = { text, key: composeRandomKey() };
    return last.current.key;
  };
}

/** `crypto.randomUUID` is not available on plain http. */
export function composeRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
