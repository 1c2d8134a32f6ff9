/**
 * Access to the metrics on the main port: for the holder of METRICS_TOKEN, or of a management key
 * with the scope `metrics:read`. For everyone else the address does not exist. That a request comes
 * from this machine proves nothing: so does every request through a reverse proxy on it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { buildKeyRefusal } from "../http/management-key-access.ts";
import type { Identify } from "../http/request-context.ts";
import { rateLimitSource } from "../http/request-head.ts";
import { createMemoryCounters, type RateWindow } from "../limits/counters.ts";

const scrapesPerMinute = 10;
const minuteMs = 60_000;
/** A longer header holds neither a token nor a key. */
const credentialMax = 512;

export type ScrapeVerdict =
  | { kind: "allowed" }
  | { kind: "unknown" }
  | { kind: "limited"; retryAfterMs: number };

export interface ScrapeAccessDeps {
  /** METRICS_TOKEN. */
  token(): string | undefined;
  identify: Identify;
  now(): number;
}

export interface ScrapeAccess {
  /** `authorization` is that header; `address` that of the client. */
  check(authorization: string | undefined, address: string): Promise<ScrapeVerdict>;
}

export function createScrapeAccess({ token, identify, now }: ScrapeAccessDeps): ScrapeAccess {
  const counters = createMemoryCounters(now);
  const window = (kind: string, address: string): RateWindow => ({
    name: `${kind} ${rateLimitSource(address)}`,
    limit: scrapesPerMinute,
    windowMs: minuteMs,
  });

  /**
   * Wrong keys are counted apart, so that they use up nothing of what a right one from the same
   * address may do.
   */
  async function isKeyAllowed(authorization: string, address: string): Promise<boolean> {
    const failures = window("scrapes-refused", address);
    if (counters.waitNow(failures) > 0) return false;
    const principal = await identify(new Headers({ authorization }), now()).catch(() => undefined);
    const isAllowed =
      principal?.credential.kind === "management_key" &&
      !principal.mustChangePassword &&
      buildKeyRefusal({ scope: "metrics:read" }, principal.credential, {
        ...principal,
        address,
      }) === undefined;
    if (!isAllowed) counters.takeNow(failures);
    return isAllowed;
  }

  return {
    async check(authorization, address) {
      const given = /^Bearer +(\S+) *$/i.exec(authorization?.slice(0, credentialMax) ?? "")?.[1];
      if (given === undefined) return { kind: "unknown" };
      const wanted = token();
      const isToken =
        wanted !== undefined && timingSafeEqual(hashSha256(wanted), hashSha256(given));
      if (!isToken && !(await isKeyAllowed(`Bearer ${given}`, address))) return { kind: "unknown" };
      const taken = counters.takeNow(window("scrapes", address));
      return taken.allowed
        ? { kind: "allowed" }
        : { kind: "limited", retryAfterMs: taken.retryAfterMs };
    },
  };
}

/** `hashSha256` makes texts of one length, so that the comparison tells nothing. */
const hashSha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
