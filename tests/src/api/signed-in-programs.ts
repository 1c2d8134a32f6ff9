/** Programs that sign in for people of a management gateway, as honest ones and attackers do. */
import {
  agentPaths,
  deviceGrant,
  refreshGrant,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { expect } from "vitest";
import {
  type ManagementGateway,
  password,
  type TestApiClient,
  type TestApiReply,
} from "./management-gateway.ts";
import { codeAt } from "./totp-users.ts";

export interface StartedProgram {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}

/** A reply to a program has no envelope; a refusal has one, and the name of OAuth beside it. */
export interface ProgramReply {
  status: number;
  headers: Headers;
  error?: string;
  code?: string;
  message?: string;
  access_token?: string;
  refresh_token?: string;
  expires_in?: number;
}

export interface ProgramTokens {
  access_token: string;
  refresh_token: string;
}

export interface ProgramPerson {
  id: number;
  uuid: string;
  username: string;
  /** An access token of the management API. */
  token: string;
  client: TestApiClient;
}

/** What someone does to a person whose program is signed in, or about to be. */
export type PersonChange = (
  programs: SignedInPrograms,
  person: Pick<ProgramPerson, "id" | "client">,
) => Promise<TestApiReply>;

/** `signInEndings` are the changes that end all sign-ins of a person. */
export const signInEndings: Readonly<Record<string, PersonChange>> = {
  "has changed the password": (_, { client }) =>
    client("PUT", "/api/user/self", {
      body: { password: "another horse 47", current_password: password },
    }),
  "has switched on a second factor": async ({ now }, { client }) => {
    const { data } = (await client("GET", "/api/user/totp/setup")).body;
    const totp_code = codeAt(data.secret, now());
    return client("POST", "/api/user/totp/confirm", { body: { totp_code } });
  },
  "was given another password": ({ asRoot }, { id }) =>
    asRoot("PUT", "/api/user/", { body: { id, password: "given horse 47" } }),
  "was disabled and enabled again": async ({ asRoot }, { id }) => {
    await asRoot("PUT", "/api/user/", { body: { id, status: 2 } });
    return asRoot("PUT", "/api/user/", { body: { id, status: 1 } });
  },
  "was deleted": ({ asRoot }, { id }) => asRoot("DELETE", `/api/user/${id}`),
  "has deleted the account": (_, { client }) => client("DELETE", "/api/user/self"),
};

/** Longer than the window in which starts and tries are counted. */
const windowMs = 11 * 60_000;
const form = "application/x-www-form-urlencoded";

/** `createRelayView` says who calls with a key, or why not, as the relay of a node decides it. */
export function createRelayView(db: Database, now: () => number) {
  const keys = createApiKeys(db, now, () => []);
  return (token = ""): Promise<string> =>
    authenticate(
      { key: token.slice(3), whole: token, pin: undefined },
      keys,
      { address: "127.0.0.1", learn: () => undefined },
      now(),
    ).then(
      ({ username }) => username,
      (refusal: { message: string }) => `refused: ${refusal.message}`,
    );
}

export function createSignedInPrograms(gateway: ManagementGateway) {
  let people = 0;

  const post = async (
    path: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<ProgramReply> => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { "content-type": form, "user-agent": "codex_cli_rs/1", ...headers },
      body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
    });
    const body = (await response.json()) as object;
    return { ...body, status: response.status, headers: response.headers };
  };
  /** Moves the clock, so that no test meets the limit of another one. */
  const begin = async (headers: Record<string, string> = {}): Promise<StartedProgram> => {
    gateway.clock.now += windowMs;
    return (await post(agentPaths.device, {}, headers)) as unknown as StartedProgram;
  };
  /** From any network address. */
  const beginAt = async (address: string, headers: Record<string, string> = {}) => {
    const { status, body } = await gateway.from(address)("POST", agentPaths.device, {
      body: {},
      headers,
    });
    return { status, ...(body as unknown as StartedProgram) };
  };
  const exchange = (device_code: string) =>
    post(agentPaths.token, { grant_type: deviceGrant, device_code });
  const answer = (client: TestApiClient, user_code: unknown, approve: unknown = true) =>
    client("POST", "/api/agent/device/answer", { body: { user_code, approve } });
  const addPerson = async (more: { role?: number; mustChange?: boolean } = {}) => {
    people += 1;
    const user = await gateway.addUser(`person-${people}`, more);
    return { ...user, client: await gateway.signIn(user.username) };
  };
  const approve = async (client: TestApiClient, headers: Record<string, string> = {}) => {
    const started = await begin(headers);
    const { body } = await answer(client, started.user_code);
    if (!body.success) throw new Error(`the code was not approved: ${body.message}`);
    return started;
  };
  /** A program that works for `person`, or for a new one. */
  const signIn = async (person?: ProgramPerson) => {
    const owner = person ?? (await addPerson());
    const { device_code } = await approve(owner.client);
    const reply = await exchange(device_code);
    if (reply.status !== 200) throw new Error(`the program was not signed in: ${reply.message}`);
    return { ...owner, device_code, tokens: reply as unknown as ProgramTokens };
  };

  const renew = (refresh_token = "") =>
    post(agentPaths.token, { grant_type: refreshGrant, refresh_token });
  const use = createRelayView(gateway.db, () => gateway.clock.now);

  return {
    now: () => gateway.clock.now,
    post,
    begin,
    beginAt,
    exchange,
    renew,
    revoke: (token: string) => post(agentPaths.revoke, { token }),
    find: (client: TestApiClient, user_code: unknown) =>
      client("POST", "/api/agent/device/find", { body: { user_code } }),
    answer,
    addPerson,
    approve,
    signIn,
    /** By the relay of this node. */
    use,
    /** A recent sign-in is the proof that changes of other accounts ask for. */
    asRoot: (async (...ask) => (await gateway.signIn("root"))(...ask)) as TestApiClient,
    /** A question about a code that waits gives no key, and the code waits on. */
    async expectWaiting({ device_code }: Pick<StartedProgram, "device_code">): Promise<void> {
      // Longer than the pause between two questions.
      gateway.clock.now += 5_000;
      expect(await exchange(device_code)).toMatchObject({ error: "authorization_pending" });
    },
    async expectEnded({ access_token, refresh_token }: ProgramTokens): Promise<void> {
      expect(await renew(refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
      expect(await use(access_token)).toMatch(/^refused/);
    },
    async renewed(refresh_token: string): Promise<ProgramTokens> {
      const reply = await renew(refresh_token);
      expect(reply.status).toBe(200);
      return reply as unknown as ProgramTokens;
    },
    async rowsOf<Table extends "sessions" | "tokens">(table: Table, userId: number) {
      const { sql, read } = gateway.db;
      return await read(
        sql
          .selectFrom(table as "tokens")
          .selectAll()
          .where("user_id", "=", userId),
      );
    },
  };
}

export type SignedInPrograms = ReturnType<typeof createSignedInPrograms>;
