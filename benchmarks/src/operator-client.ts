/**
 * A client of the management API: prepares a channel and a token, and reads the account's totals.
 */

export interface AccountTotals {
  balance: number;
  charged: number;
  rows: number;
}

export interface OperatorClient {
  /** The data of a reply; a refusal throws. */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  /**
   * Creates a channel to the upstream, by default of OpenAI's type, and an unlimited token; returns
   * the key.
   */
  prepare(upstream: string, type?: number): Promise<string>;
  totals(): Promise<AccountTotals>;
  /** Waits until the totals no longer change. */
  settled(): Promise<void>;
}

/** Roll-ups on PostgreSQL lag by a second. */
const quietMs = 1_200;

export async function signIn(url: string, password: string): Promise<OperatorClient> {
  let cookie = "";
  async function call<Data>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ data: Data; total?: number }> {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", "x-tollgate-console": "1", cookie },
      body: body === undefined ? null : JSON.stringify(body),
    });
    cookie =
      response.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ") || cookie;
    const reply = (await response.json()) as {
      success: boolean;
      message: string;
      data: Data;
      total?: number;
    };
    if (!reply.success) throw new Error(`${method} ${path}: ${reply.message}`);
    return reply;
  }
  await call("POST", "/api/user/login", { username: "root", password });

  async function books(): Promise<AccountTotals> {
    const { data: self } = await call<{ quota: number; used_quota: number; request_count: number }>(
      "GET",
      "/api/user/self",
    );
    const { total = 0 } = await call<unknown[]>("GET", "/api/log/?type=2&size=1");
    return { balance: self.quota, charged: self.used_quota, rows: total };
  }

  return {
    call: async <Data>(method: string, path: string, body?: unknown) =>
      (await call<Data>(method, path, body)).data,
    totals: books,
    async prepare(upstream, type = 1) {
      const models = "gpt-4o-mini";
      await call("POST", "/api/channel/", {
        name: "bench",
        type,
        key: "k",
        base_url: upstream,
        models,
        group: "default",
      });
      const token = {
        name: "bench",
        remain_quota: 0,
        unlimited_quota: true,
        expired_time: -1,
        models: "",
        subnet: "",
      };
      const { data } = await call<{ key: string }>("POST", "/api/token/", token);
      return data.key;
    },
    async settled() {
      for (let last = ""; ; ) {
        const now = JSON.stringify(await books());
        if (now === last) return;
        last = now;
        await new Promise((resolve) => setTimeout(resolve, quietMs));
      }
    },
  };
}
