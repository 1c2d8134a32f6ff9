/** Short-lived secrets of the providers that do not take the stored key itself: asked for once, kept while they live. */
import type { Egress } from "../egress/egress.ts";
import type { RelayChannel } from "./channel-table.ts";
import { type Forwarded, forward } from "./forward.ts";
import { parsedObject } from "./json-parts.ts";
import type { Login } from "./providers/provider.ts";
import { brokenUpstream, credentialsRejected, type Trouble } from "./trouble.ts";

const answerMax = 64 * 1024;
/** Renewed before it ends: a call that is on its way must not find it expired. */
const renewBeforeMs = 60_000;

export type Secret = { secret: string } | { trouble: Trouble };

export interface Logins {
  /** The channel's key, or what its provider gives for it. Throws `LoginRefused` for a key of another form. */
  secretOf(channel: RelayChannel): Promise<Secret>;
  /** The provider did not take the last one. */
  forget(channel: RelayChannel): void;
}

interface Known {
  /** Key and settings that it was given for. */
  of: string;
  until: number;
  secret: Promise<Secret>;
}

export function openLogins(egress: Egress, now: () => number): Logins {
  const known = new Map<string, Known>();
  const nameOf = ({ id, keyPlace }: RelayChannel): string => `${id} ${keyPlace}`;

  async function ask(login: Login, channel: RelayChannel, entry: Known): Promise<Secret> {
    const forwarded = await forward(egress, login.request(channel.key, channel.settings, now()), () => undefined);
    const found = await read(login, forwarded, now());
    if ("secret" in found) entry.until = now() + found.livesMs - renewBeforeMs;
    else entry.until = 0;
    return found;
  }

  return {
    async secretOf(channel) {
      const { login } = channel.provider;
      if (!login || login.applies?.(channel.settings) === false) return { secret: channel.key };
      const of = JSON.stringify([channel.key, channel.settings.config]);
      const last = known.get(nameOf(channel));
      if (last && last.of === of && last.until > now()) return await last.secret;
      // Calls that come while it is asked for share the one answer.
      const entry: Known = { of, until: Number.POSITIVE_INFINITY, secret: Promise.resolve({ secret: "" }) };
      entry.secret = ask(login, channel, entry).catch((error: unknown) => {
        entry.until = 0;
        throw error;
      });
      known.set(nameOf(channel), entry);
      return await entry.secret;
    },
    forget: (channel) => void known.delete(nameOf(channel)),
  };
}

type Found = { secret: string; livesMs: number } | { trouble: Trouble };

async function read(login: Login, forwarded: Forwarded, now: number): Promise<Found> {
  if ("trouble" in forwarded) return { trouble: inLogin(forwarded.trouble) };
  const body = await forwarded.answer.whole(answerMax).catch(() => Buffer.alloc(0));
  const found = login.read(parsedObject(body.toString("utf8")), now);
  return found ?? { trouble: inLogin(brokenUpstream("the answer holds no access token")) };
}

/** Whatever is wrong with a sign-in, the caller's own call is fine, and another channel may serve it. */
function inLogin(trouble: Trouble): Trouble {
  const reason = `signing in: ${trouble.reason}`;
  return trouble.isRetryable
    ? { ...trouble, reason }
    : { ...trouble, reason, isRetryable: true, refusal: credentialsRejected };
}
