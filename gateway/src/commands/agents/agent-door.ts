/**
 * Asks a gateway to sign this machine's user in, to renew and to end that: the client of
 * `contract/src/accounts/agent-sign-ins.ts`.
 */
import { setTimeout as wait } from "node:timers/promises";
import {
  agentPaths,
  agentToken,
  deviceGrant,
  refreshGrant,
  startDevice,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import * as z from "zod/mini";
import packageJson from "../../../package.json" with { type: "json" };
import { CommandError } from "../command-line/management-client.ts";
import { visible } from "../command-line/visible-text.ts";
import type { StoredSignIn } from "./sign-in-file.ts";

const timeoutMs = 20_000;
const slowDownSeconds = 5;
/** `pauseSecondsMin` is for a gateway that names no pause: it is not asked without one. */
const pauseSecondsMin = 1;

const addressMax = 2_000;

/** `error` is the name of OAuth; empty for what is no answer of that door. */
type DoorReply = { ok: true; value: unknown } | { ok: false; error: string; message: string };

async function post(
  url: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<DoorReply> {
  const address = new URL(url + path);
  let reply: Response;
  try {
    reply = await fetch(address, {
      method: "POST",
      headers: {
        "user-agent": `tollgate/${packageJson.version} (${process.platform})`,
        accept: "application/json",
      },
      body: new URLSearchParams(fields),
      // A secret goes to the address that was given, and to no other.
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    throw new CommandError(`${address.origin} cannot be reached: ${cause?.message ?? message}`);
  }
  const value: unknown = await reply.json().catch(() => undefined);
  if (reply.ok) return { ok: true, value };
  const told = z.safeParse(
    z.looseObject({ error: z.optional(z.string()), message: z.optional(z.string()) }),
    value,
  );
  const { error = "", message = `${address.origin} answered ${reply.status}` } = told.success
    ? told.data
    : {};
  return { ok: false, error, message: visible(message) };
}

function requireShape<Shape extends z.ZodMiniType>(
  shape: Shape,
  value: unknown,
  url: string,
): z.output<Shape> {
  const parsed = z.safeParse(shape, value);
  if (!parsed.success) throw new CommandError(`${url} is no gateway that signs programs in`);
  return parsed.data;
}

function readToken(url: string, value: unknown, now: number): StoredSignIn {
  const { access_token, expires_in, refresh_token } = requireShape(agentToken, value, url);
  return {
    url,
    accessToken: access_token,
    expiresAt: now + expires_in * 1000,
    refreshToken: refresh_token,
  };
}

/** Waits until a person has answered. `show` tells them the page and the code. */
export async function obtainSignInTokens(
  url: string,
  show: (page: string, code: string) => void,
): Promise<StoredSignIn> {
  const begun = await post(url, agentPaths.device, { client_id: "tollgate" });
  if (!begun.ok) throw new CommandError(begun.message);
  const device = requireShape(startDevice.data, begun.value, url);
  show(visible(device.verification_uri_complete, addressMax), visible(device.user_code));
  let seconds = Math.max(pauseSecondsMin, device.interval);
  const until = Date.now() + device.expires_in * 1000;
  for (;;) {
    await wait(seconds * 1000);
    const reply = await post(url, agentPaths.token, {
      grant_type: deviceGrant,
      device_code: device.device_code,
    });
    if (reply.ok) return readToken(url, reply.value, Date.now());
    if (reply.error === "slow_down") seconds += slowDownSeconds;
    else if (reply.error !== "authorization_pending") throw new CommandError(reply.message);
    if (Date.now() > until) throw new CommandError("nobody approved the code in its time");
  }
}

/** Undefined where the sign-in has ended. */
export async function renewSignInTokens({
  url,
  refreshToken,
}: StoredSignIn): Promise<StoredSignIn | undefined> {
  const reply = await post(url, agentPaths.token, {
    grant_type: refreshGrant,
    refresh_token: refreshToken,
  });
  if (reply.ok) return readToken(url, reply.value, Date.now());
  if (reply.error === "invalid_grant") return undefined;
  throw new CommandError(reply.message);
}

export async function revokeSignInTokens({ url, refreshToken }: StoredSignIn): Promise<void> {
  const reply = await post(url, agentPaths.revoke, { token: refreshToken });
  if (!reply.ok) throw new CommandError(reply.message);
}
