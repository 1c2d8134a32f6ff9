// The script and the call count of every key.
import type { ReceivedCall } from "./call-log.ts";
import { behaviourOf, type KeyScript, scriptInKey, UnknownDirective } from "./script.ts";
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";

export type ScriptedKeys = ReturnType<typeof createScriptedKeys>;

export function createScriptedKeys() {
  const scripts = new Map<string, KeyScript>();
  const counts = new Map<string, number>();
  return {
    set(key: string, script: KeyScript): void {
      scripts.set(key, script);
      counts.delete(key);
    },
    forget(key: string): void {
      scripts.delete(key);
      counts.delete(key);
    },
    /** Counts the call and returns the key's behaviour for it; undefined for an unknown key. */
    use(key: string, call: ReceivedCall): ScriptedBehaviour | UnknownDirective | undefined {
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
