/**
 * The gateway as a client of one MCP server. A server of the stateless revision gets each request
 * whole. With an older one the gateway makes the handshake; where the server then names a session,
 * each API key has a session of its own, so that no user meets the state of another.
 */
import packageJson from "../../../package.json" with { type: "json" };
import type { Exit } from "../../egress/egress.ts";
import { type RpcError, rpcErrors } from "../../http/json-rpc.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { McpFailure } from "./mcp-failure.ts";
import { awaitReply, type McpAddress, type McpReply, postMessage } from "./mcp-messages.ts";
import {
  findKnownHandshake,
  handshakeRevisions,
  hasStateless,
  metaNames,
  statelessRevision,
} from "./mcp-revisions.ts";

/**
 * A server that is up answers the first questions at once; an old one may keep silent about a
 * method that it does not know. Several calls may wait for the same answer, so that it does not end
 * with the time of one of them.
 */
const greetingWithinMs = 10_000;
/**
 * `sessionsMax` is that of one server on this node; the oldest goes first, and its server ends it
 * in its own time.
 */
const sessionsMax = 1_000;
const clientInfo = { name: "tollgate", version: packageJson.version };
/** A header of ours holds no more and nothing else. */
const sessionIdPattern = /^[\x21-\x7e]{1,512}$/;

export interface McpQuestion {
  method: string;
  params: JsonRecord;
  /** The tool, for the header of the stateless revision. */
  name?: string;
  /** Further headers: what the client mirrors from its arguments. */
  headers?: Readonly<Record<string, string>>;
  /** `capabilities` are the client's, as far as the answer may ask it for input. */
  capabilities?: JsonRecord;
}

export interface AskOptions {
  /** Unique to the question. */
  id: string;
  /** `holder` says whose question it is: API keys by their ids, 0 for the gateway itself. */
  holder: number;
  signal: AbortSignal;
  onNotification?: (method: string, params: JsonRecord) => Promise<void> | void;
}

export interface McpLink {
  /** Rejects with `McpFailure`. */
  ask(question: McpQuestion, options: AskOptions): Promise<McpReply>;
  /** The revision in use; empty before the first question. */
  revision(): string;
}

interface HandshakeSession {
  version: string;
  /** Undefined where the server keeps no sessions. */
  id: string | undefined;
}

export function createMcpLink(exit: Exit, address: McpAddress): McpLink {
  let isStateless: Promise<boolean> | undefined;
  /** `sessions` go by holders; one entry of 0 for all where the server keeps no sessions. */
  let sessions = new Map<number, Promise<HandshakeSession>>();
  let keepsSessions = true;
  let revision = "";

  const forget = (): void => {
    isStateless = undefined;
    sessions = new Map();
    keepsSessions = true;
  };

  const send = async (
    message: { id: string; method: string; params: JsonRecord },
    headers: Readonly<Record<string, string>>,
    { signal, onNotification }: Pick<AskOptions, "signal" | "onNotification">,
  ): Promise<McpReply> =>
    awaitReply(
      message.id,
      await postMessage(exit, address, { jsonrpc: "2.0", ...message }, headers, signal),
      onNotification,
    );

  const sendStateless = (
    { method, params, name, headers, capabilities = {} }: McpQuestion,
    options: Pick<AskOptions, "id" | "signal" | "onNotification">,
  ): Promise<McpReply> => {
    const meta = {
      ...(params._meta as JsonRecord | undefined),
      [metaNames.version]: statelessRevision,
      [metaNames.clientInfo]: clientInfo,
      [metaNames.clientCapabilities]: capabilities,
    };
    return send(
      { id: options.id, method, params: { ...params, _meta: meta } },
      {
        ...headers,
        "mcp-protocol-version": statelessRevision,
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      },
      options,
    );
  };

  /**
   * Whatever is no answer of the stateless revision comes from an older server, unless it says that
   * the gateway may not ask.
   */
  async function probe(): Promise<boolean> {
    const signal = AbortSignal.timeout(greetingWithinMs);
    try {
      const reply = await sendStateless(
        { method: "server/discover", params: {} },
        { id: "discover", signal },
      );
      return "result" in reply && hasStateless(reply.result.supportedVersions);
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      const mayBeOlder =
        error.kind === "bad_answer" ||
        error.kind === "silent" ||
        (error.kind === "refused" &&
          error.status < 500 &&
          ![401, 403, 407, 429].includes(error.status));
      if (!mayBeOlder) throw error;
      return false;
    }
  }

  async function handshake(): Promise<HandshakeSession> {
    const signal = AbortSignal.timeout(greetingWithinMs);
    const params = { protocolVersion: handshakeRevisions[0], capabilities: {}, clientInfo };
    const message = { jsonrpc: "2.0", id: "initialize", method: "initialize", params };
    const answer = await postMessage(exit, address, message, {}, signal);
    const id = answer.headers["mcp-session-id"];
    const reply = await awaitReply(message.id, answer);
    const version = "result" in reply ? findKnownHandshake(reply.result) : undefined;
    if (version === undefined)
      throw new McpFailure(
        "bad_answer",
        "the server speaks no revision of the protocol that the gateway knows",
      );
    if (id !== undefined && (typeof id !== "string" || !sessionIdPattern.test(id)))
      throw new McpFailure("bad_answer", "the id of the session is malformed");
    const session = { version, id };
    const begun = { jsonrpc: "2.0", method: "notifications/initialized" };
    (await postMessage(exit, address, begun, buildSessionHeaders(session), signal)).abandon();
    return session;
  }

  async function sessionOf(holder: number): Promise<HandshakeSession> {
    const key = keepsSessions ? holder : 0;
    const known = sessions.get(key);
    if (known) return known;
    const [oldest] = sessions.size >= sessionsMax ? sessions.keys() : [];
    if (oldest !== undefined) sessions.delete(oldest);
    const kept = sessions;
    const opening = handshake();
    kept.set(key, opening);
    try {
      const session = await opening;
      if (session.id === undefined) {
        keepsSessions = false;
        kept.set(0, opening);
      }
      return session;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  }

  async function askOnce(question: McpQuestion, options: AskOptions): Promise<McpReply> {
    isStateless ??= probe();
    const probing = isStateless;
    let stateless: boolean;
    try {
      stateless = await probing;
    } catch (error) {
      if (isStateless === probing) isStateless = undefined;
      throw error;
    }
    if (stateless) {
      revision = statelessRevision;
      return sendStateless(question, options);
    }
    const session = await sessionOf(options.holder);
    revision = session.version;
    const { method, params } = question;
    return send({ id: options.id, method, params }, buildSessionHeaders(session), options);
  }

  return {
    revision: () => revision,
    async ask(question, options) {
      try {
        return await askOnce(question, options);
      } catch (error) {
        if (!(error instanceof McpFailure) || error.kind !== "refused") throw error;
        if (isAboutQuestion(error)) return { error: error.rpcError };
        // The session has ended, or another version of the server runs by now: it took nothing of
        // the question.
        if (error.status !== 404 && error.status !== 400) throw error;
        forget();
        return askOnce(question, options);
      }
    },
  };
}

/**
 * `questionErrors` are what the stateless revision says about the question itself, with an HTTP
 * error.
 */
const questionErrors: ReadonlySet<number> = new Set([
  rpcErrors.headerMismatch,
  rpcErrors.missingCapability,
  rpcErrors.method,
  rpcErrors.params,
]);

const isAboutQuestion = (failure: McpFailure): failure is McpFailure & { rpcError: RpcError } =>
  failure.rpcError !== undefined && questionErrors.has(failure.rpcError.code);

const buildSessionHeaders = ({ version, id }: HandshakeSession): Record<string, string> => ({
  "mcp-protocol-version": version,
  ...(id !== undefined && { "mcp-session-id": id }),
});
