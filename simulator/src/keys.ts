// Every key's script and how often it was used.
import type { Call } from "./call-book.ts";
import { type Behaviour, behaviourOf, type Script, scriptInKey, UnknownDirective } from "./script.ts";

export type Keys = ReturnType<typeof openKeys>;

export function openKeys() {
  const scripts = new Map<string, Script>();
  const counts = new Map<string, number>();
  return {
    set(key: string, script: Script): void {
      scripts.set(key, script);
      counts.delete(key);
    },
    forget(key: string): void {
      scripts.delete(key);
      counts.delete(key);
    },
    /** Counts the call and says how the key behaves this time; undefined for a key that nobody knows. */
    use(key: string, call: Call): Behaviour | UnknownDirective | undefined {
      call.key = key;
      call.keyCall = (counts.get(key) ?? 0) + 1;
      try {
        const script = scripts.get(key) ?? scriptInKey(key);
        if (script) counts.set(key, call.keyCall);
        return script && behaviourOf(script, call.keyCall);
      } catch (cause) {
        if (cause instanceof UnknownDirective) return cause;
        throw cause;
      }
    },
  };
}
