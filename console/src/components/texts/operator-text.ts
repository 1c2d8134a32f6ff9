import type { getAbout, getHomePageContent } from "@tollgate/contract/site/pages.ts";
import { useEffect, useState } from "react";
import { call } from "../../api-call.ts";

type OperatorText = {
  /** The text of the last visit, then the gateway's; undefined without either. */
  text: string | undefined;
  /** True once the gateway has answered or the call has failed. */
  isLoaded: boolean;
  failure: unknown;
  retry: () => void;
};

/**
 * A text of the operator. The copy of the last visit shows at once; its storage key is the one
 * older consoles use.
 */
export function useOperatorText(
  endpoint: typeof getAbout | typeof getHomePageContent,
  key: string,
): OperatorText {
  const [text, setText] = useState(() => readStoredText(key));
  const [isLoaded, setLoaded] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another load
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      try {
        const { data } = await call(endpoint, { signal: leaving.signal });
        if (leaving.signal.aborted || typeof data !== "string") return;
        storeText(key, data);
        setText(data);
        setFailure(undefined);
      } catch (error) {
        if (leaving.signal.aborted) return;
        console.error(`The text of ${endpoint.path} could not be loaded`, error);
        setFailure(error);
      } finally {
        if (!leaving.signal.aborted) setLoaded(true);
      }
    };
    void load();
    return () => leaving.abort();
  }, [endpoint, key, attempt]);
  return { text, isLoaded, failure, retry: () => setAttempt((before) => before + 1) };
}

// A browser may refuse storage; the text then loads from the gateway on each visit.
export function readStoredText(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** An empty text is stored as well, so that the first paint knows that there is none. */
export function storeText(key: string, text: string) {
  try {
    localStorage.setItem(key, text);
  } catch {}
}
