/** The management API over a database that no gateway has open, with a clock of our choosing: samples have a past. */
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { managementApi } from "@tollgate/gateway/api.ts";
import { automaticStatus } from "@tollgate/gateway/channels/automatic-status.ts";
import { channelJobStore } from "@tollgate/gateway/channels/channel-job-store.ts";
import { openChannelJobs } from "@tollgate/gateway/channels/channel-jobs.ts";
import { channelStore } from "@tollgate/gateway/channels/channel-store.ts";
import { openMailer } from "@tollgate/gateway/mail/mailer.ts";
import { sealer } from "@tollgate/gateway/secrets/seal.ts";
import { openOptions } from "@tollgate/gateway/settings/options.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { pino } from "pino";

export interface SampleApi {
  signIn(username: string, password: string): Promise<Client>;
}

export type Client = <Data>(method: "POST" | "PUT", path: string, body: unknown) => Promise<Data>;

export async function openSampleApi(db: Database, masterKey: Uint8Array, clock: () => number): Promise<SampleApi> {
  const onTrouble = (error: unknown): void => console.error(error);
  const askNobody = () => Promise.reject(new Error("nothing is asked while samples are written"));
  const options = await openOptions(db, onTrouble);
  const channels = channelStore(db);
  const jobs = channelJobStore(db);
  const asking = { testChannel: askNobody, askBalance: askNobody };
  const automatic = automaticStatus({ db, channels, options, now: clock, notify: () => undefined });
  const log = pino({ level: "error", base: null });
  const api = managementApi({
    db,
    options,
    seal: sealer(masterKey),
    mailer: openMailer(() => undefined, log),
    clock,
    channelJobs: openChannelJobs({ db, channels, jobs, options, automatic, ...asking, now: clock, onTrouble }),
    testChannel: askNobody,
    providers: { urls: { github: "", githubApi: "", lark: "" }, ask: askNobody },
    priceBook: new Map(),
    defaultPricing: () => ({}),
    modelsByType: () => ({}),
    publicUrl: undefined,
    version: "",
    trustedProxies: [],
    log,
  });

  async function ask(method: string, path: string, body: unknown, cookie = ""): Promise<Response> {
    const headers = { "content-type": "application/json", cookie, [consoleHeader.name]: consoleHeader.value };
    return await api.fetch(new Request(`http://sample${path}`, { method, headers, body: JSON.stringify(body) }));
  }

  return {
    async signIn(username, password) {
      const reply = await ask("POST", "/api/user/login", { username, password });
      await dataOf(reply);
      const cookie = (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      return async (method, path, body) => await dataOf(await ask(method, path, body, cookie));
    },
  };
}

async function dataOf<Data>(reply: Response): Promise<Data> {
  const { success, message, data } = (await reply.json()) as { success: boolean; message: string; data: Data };
  if (!success) throw new Error(`the sample data was refused: ${message}`);
  return data;
}
