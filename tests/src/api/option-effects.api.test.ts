// What each setting does, seen from outside: it is set on one gateway and looked at on another over
// the same database.
import { newAccessToken } from "@tollgate/contract/accounts/accounts.ts";
import { listBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { finishProxySignIn, newOauthState } from "@tollgate/contract/accounts/external-sign-in.ts";
import { listTokenGroups } from "@tollgate/contract/accounts/tokens.ts";
import { listGroups } from "@tollgate/contract/accounts/users.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  promptEstimate,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const anthropicType = 14;
const key = (behaviour: string) => `sim-${behaviour}+as-${Math.random()}`;
/**
 * A rough estimate of the default question counts a token more, and the hold has half as much
 * again.
 */
const roughHold = Math.ceil((promptEstimate + 1) * 1.5) + 12 * 4;

const proxySecret = "only-the-proxy-knows-this";
/** Strangers come from many places, and few tries are taken from each. */
const env = {
  TRUSTED_PROXIES: "127.0.0.1",
  TRUSTED_SIGN_IN_HEADER: "Remote-User",
  TRUSTED_SIGN_IN_SECRET_HEADER: "Proxy-Secret",
  TRUSTED_SIGN_IN_SECRET: proxySecret,
  TRUSTED_SIGN_IN_GROUPS_HEADER: "Remote-Groups",
};

describe.each(ruleDatabaseKinds)("settings at work on %s", (store) => {
  let gateway: TestGateway;
  let other: GatewayProcess;
  let accessToken: string;
  let open: { key: string };
  let limited: { key: string };
  let receiver: { id: number };
  let adminToken: string;

  beforeAll(async () => {
    gateway = await startTestGateway({ store, env });
    // A SQLite file has one process.
    other = gateway.databaseUrl
      ? await startGatewayProcess({
          dataDir: gateway.dataDir,
          databaseUrl: gateway.databaseUrl,
          upstreams: [gateway.simulator.url],
          env,
        })
      : gateway.process;
    accessToken = await gateway.api("POST", newAccessToken.path, {});
    await gateway.given.channel({ key: key("ok"), group: "default,vip" });
    await gateway.given.channel({ key: key("fail-503"), models: "tired", priority: 1 });
    await gateway.given.channel({ key: key("fail-503"), models: "tired" });
    await gateway.given.channel({ key: key("fail-422"), models: "picky", priority: 1 });
    await gateway.given.channel({ key: key("fail-422"), models: "picky" });
    await gateway.given.channel({ type: anthropicType, key: key("ok"), models: "claude" });
    open = await gateway.given.token();
    receiver = await gateway.given.user("receiver");
    await gateway.given.user("seller");
    await gateway.api("POST", "/api/user/manage", { username: "seller", action: "promote" });
    adminToken = await (await gateway.signIn("seller")).data("POST", newAccessToken.path, {});
    limited = await gateway.given.token({ unlimited_quota: false, remain_quota: 1_000_000 });
  });
  afterAll(async () => {
    if (other !== gateway.process) await other.stop();
    await gateway.close();
  });

  let newcomers = 0;

  const put = (name: string, value: string) =>
    gateway.api("PUT", "/api/option/", { key: name, value });
  const read = async (name: string) => {
    const options = await gateway.api<{ key: string; value: string }[]>("GET", "/api/option/");
    return options.find((option) => option.key === name)?.value ?? "";
  };

  const ask = async (
    path: string,
    { body, bearer, method }: { body?: unknown; bearer?: string; method?: string } = {},
  ) => {
    const headers = {
      "content-type": "application/json",
      "x-forwarded-for": `10.0.0.${newcomers % 250}`,
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    };
    const init =
      body === undefined
        ? { headers, method: method ?? "GET" }
        : { headers, method: "POST", body: JSON.stringify(body) };
    const response = await fetch(other.url + path, init);
    // biome-ignore lint/suspicious/noExplicitAny: replies of every structure
    return { status: response.status, body: (await response.json()) as any };
  };
  const status = (member: string) => async () => (await ask("/api/status")).body.data[member];
  const page = (path: string) => async () => (await ask(path)).body.data;
  const chat = (bearer: string, more: object = {}) =>
    ask("/v1/chat/completions", { bearer, body: chatBody({ max_tokens: 12, ...more }) });

  /**
   * `isServedWith` says whether a key that has exactly this much left may still make the usual
   * call.
   */
  const isServedWith = (remain_quota: number) => async () => {
    const token = await gateway.given.token({ unlimited_quota: false, remain_quota });
    return (await chat(token.key)).status;
  };
  const chargeOf = async () => {
    await chat(open.key);
    return (await gateway.lastLog()).quota;
  };
  const failed = async (asked = "tired") => {
    await chat(open.key, { model: asked });
    return await gateway.lastLog();
  };
  const attemptsOn = (asked: string) => async () =>
    (await gateway.trace((await failed(asked)).id)).attempts.length;
  const attempts = attemptsOn("tired");
  const hasContent = async () => (await failed()).content !== "";
  const limitIn = (bearer: string) => async () =>
    (await ask("/dashboard/billing/subscription", { bearer })).body.hard_limit_usd;

  const isAnswerKept = async () => {
    const body = { model: "claude", input: "hi" };
    return (await ask("/v1/responses", { bearer: open.key, body })).body.store;
  };
  const isRevealed = async () => {
    const { body } = await ask("/api/token/", { bearer: accessToken });
    return body.data.some(({ key: shown }: { key: string }) => shown === open.key);
  };

  const countsTokens = async () => {
    const body = { model: "claude", messages: [{ role: "user", content: "hi" }] };
    return (await ask("/v1/messages/count_tokens", { bearer: open.key, body })).status;
  };

  const asks = (content: string) => async () =>
    (await chat(open.key, { messages: [{ role: "user", content }] })).status;

  const isTagLogged = async () => {
    await chat(open.key, { metadata: { team: "search" } });
    return (await gateway.lastLog()).tags !== null;
  };

  const hasAgentSettings = async () =>
    (
      await fetch(`${gateway.url}/managed/settings`, {
        headers: { authorization: `Bearer ${open.key}` },
      })
    ).status;

  const createsToken = async () =>
    (
      await ask("/api/token/", {
        bearer: accessToken,
        body: { name: "one more", unlimited_quota: true },
      })
    ).body.code ?? "";

  const budgetZone = async () => {
    const body = {
      subject: "site",
      name: "of the site",
      window: "day",
      amount: 1_000_000,
      hard: false,
      thresholds: [],
    };
    const { data } = (await ask(listBudgets.path, { bearer: adminToken, body })).body;
    await ask(`${listBudgets.path}${data.id}`, { bearer: adminToken, method: "DELETE" });
    return data.zone;
  };

  const issues = async () => {
    const body = { user_id: receiver.id, quota: 10 };
    return (await ask("/api/topup", { bearer: adminToken, body })).body.code ?? "";
  };

  const newcomer = async (more: object = {}) => {
    newcomers += 1;
    const name = `newcomer${newcomers}`;
    const password = `a good password of ${name}`;
    const registered = await ask("/api/user/register", {
      body: { username: name, password, ...more },
    });
    return {
      name,
      registered,
      signIn: () => ask("/api/user/login", { body: { username: name, password } }),
    };
  };
  const signIn = async () => (await (await newcomer()).signIn()).body.code ?? "";
  const registers = async () => (await newcomer()).registered.body.code ?? "";
  const registersWith = async (email: string) =>
    (await newcomer({ email: `${newcomers}${email}` })).registered.body.code ?? "";
  /** The role of a person whom the reverse proxy signs in with a group. */
  const proxyRole = async () => {
    const named = {
      "remote-user": "operator",
      "proxy-secret": proxySecret,
      "remote-groups": "ops",
    };
    const begun = await fetch(`${other.url}${newOauthState.path}`, { headers: named });
    const { data: state } = (await begun.json()) as { data: string };
    const cookie = begun.headers
      .getSetCookie()
      .map((set) => set.split(";")[0])
      .join("; ");
    const ended = await fetch(`${other.url}${finishProxySignIn.path}?state=${state}`, {
      headers: { ...named, cookie },
    });
    return ((await ended.json()) as { data: { role: number } }).data.role;
  };
  const balanceOf = async (name: string) => {
    const [row] = await gateway.rows<{ balance: number }>(
      `select balance from wallets join users on users.wallet_id = wallets.id where username = '${name}'`,
    );
    return Number(row?.balance);
  };
  const giftTo = (more: () => Promise<object>) => async () => {
    const { name } = await newcomer(await more());
    return await balanceOf(name);
  };
  const invited = async () => ({
    invitation_code: await gateway.api<string>("POST", "/api/user/aff"),
  });

  const giftToInviter = async () => {
    const before = await balanceOf("root");
    await newcomer(await invited());
    return (await balanceOf("root")) - before;
  };
  const isKept = async () => {
    const { id } = await gateway.given.channel({ key: "sim-fail-401", models: "locked" });
    await chat(open.key, { model: "locked" });
    await gateway.settled();
    const [row] = await gateway.rows<{ status: number }>(
      `select status from channels where id = ${id}`,
    );
    return row?.status === 1;
  };

  interface Effect {
    option: string;
    value: string;
    /** Set before it and put back after it. */
    with?: Record<string, string>;
    look: () => Promise<unknown>;
    was: unknown;
    is: unknown;
  }
  const effect = (
    option: string,
    value: string,
    look: () => Promise<unknown>,
    [was, is]: [unknown, unknown],
    more = {},
  ): Effect => ({
    option,
    value,
    look,
    was,
    is,
    ...more,
  });

  const effects: Effect[] = [
    effect("SystemName", "Harbour", status("system_name"), ["Tollgate", "Harbour"]),
    effect("Logo", "/mark.svg", status("logo"), ["", "/mark.svg"]),
    effect("Footer", "<b>us</b>", status("footer_html"), ["", "<b>us</b>"]),
    effect("ServerAddress", "https://gate.example", status("server_address"), [
      "",
      "https://gate.example",
    ]),
    effect("TopUpLink", "https://pay.example", status("top_up_link"), ["", "https://pay.example"]),
    effect("ChatLink", "https://chat.example", status("chat_link"), ["", "https://chat.example"]),
    effect("TokenKeyProofEnabled", "true", isRevealed, [true, false]),
    effect("DisplayInCurrencyEnabled", "false", status("display_in_currency"), [true, false]),
    effect("StatusPageEnabled", "true", status("status_page"), ["off", "users"]),
    effect(
      "StatusPagePublicEnabled",
      "true",
      async () => (await ask("/api/service_health")).status,
      [404, 200],
    ),
    effect("EmailVerificationEnabled", "true", status("email_verification"), [false, true], {
      with: { SMTPServer: "127.0.0.1", SMTPFrom: "gate@example.org" },
    }),
    effect("GitHubOAuthEnabled", "true", status("github_oauth"), [false, true], {
      with: { GitHubClientId: "id", GitHubClientSecret: "s" },
    }),
    effect("DiscordOAuthEnabled", "true", status("external_providers"), [[], ["discord"]], {
      with: {
        ServerAddress: "https://gate.example",
        DiscordClientId: "id",
        DiscordClientSecret: "s",
      },
    }),
    effect("LinuxDOOAuthEnabled", "true", status("external_providers"), [[], ["linuxdo"]], {
      with: {
        ServerAddress: "https://gate.example",
        LinuxDOClientId: "id",
        LinuxDOClientSecret: "s",
      },
    }),
    effect("TelegramOAuthEnabled", "true", status("external_providers"), [[], ["telegram"]], {
      with: {
        ServerAddress: "https://gate.example",
        TelegramBotToken: "7001:token-of-a-bot-in-tests",
      },
    }),
    effect("WeChatAuthEnabled", "true", status("wechat_login"), [false, true], {
      with: { WeChatServerAddress: "https://codes.example", WeChatServerToken: "s" },
    }),
    effect("LarkClientId", "cli_1", status("lark_client_id"), ["", "cli_1"], {
      with: { LarkClientSecret: "s" },
    }),
    effect("Notice", "# Today", page("/api/notice"), ["", "# Today"]),
    effect("About", "# Us", page("/api/about"), ["", "# Us"]),
    effect("HomePageContent", "# Home", page("/api/home_page_content"), ["", "# Home"]),

    effect("PasswordLoginEnabled", "false", signIn, ["", "password_login_off"]),
    effect("RegisterEnabled", "false", registers, ["", "registration_off"]),
    effect("PasswordRegisterEnabled", "false", registers, ["", "registration_off"]),
    effect(
      "QuotaForNewUser",
      "700",
      giftTo(async () => ({})),
      [0, 700],
    ),
    effect("QuotaForInvitee", "30", giftTo(invited), [0, 30]),
    effect("QuotaForInviter", "11", giftToInviter, [0, 11]),

    effect("EmailDomainRestrictionEnabled", "true", () => registersWith("a@elsewhere.example"), [
      "",
      "email_domain_refused",
    ]),
    effect(
      "EmailDomainWhitelist",
      "here.example",
      () => registersWith("a@gmail.com"),
      ["", "email_domain_refused"],
      {
        with: { EmailDomainRestrictionEnabled: "true" },
      },
    ),
    effect("GroupRatio", '{"default":2}', chargeOf, [defaultCharge, 2 * defaultCharge]),
    effect("ChannelGroupRatioEnabled", "true", chargeOf, [2 * defaultCharge, defaultCharge], {
      with: { GroupRatio: '{"default":2,"vip":1}' },
    }),
    effect(
      "AvailableGroups",
      "vip,default",
      async () => (await ask(listGroups.path, { bearer: accessToken })).body.data,
      [
        ["default", "svip", "vip"],
        ["default", "vip"],
      ],
    ),
    effect(
      "SelectableGroups",
      "vip",
      async () =>
        (await ask(listTokenGroups.path, { bearer: accessToken })).body.data.map(
          ({ name }: { name: string }) => name,
        ),
      [["default"], ["default", "vip"]],
    ),
    effect("RetryTimes", "0", attempts, [2, 1]),
    effect("NoRetryStatuses", "500-504", attempts, [2, 1]),
    effect("RetryStatuses", "400,422", attemptsOn("picky"), [1, 2]),
    effect("AutomaticDisableChannelEnabled", "true", isKept, [true, false]),
    effect("LogConsumeEnabled", "false", hasContent, [true, false]),
    effect("ResponseStoreEnabled", "true", isAnswerKept, [false, true]),
    effect(
      "DenyLists",
      '[{"name":"greetings","patterns":["(?i)he(l+)o"]}]',
      asks("Hello"),
      [200, 400],
    ),
    effect("TagKeys", "team", isTagLogged, [false, true]),
    effect("AgentSettings", '{"*":{"model":"sim-model"}}', hasAgentSettings, [404, 200]),
    effect("SecretRefusalEnabled", "true", asks("-----BEGIN PRIVATE KEY-----"), [200, 400]),
    effect("PreConsumedQuota", "1", isServedWith(defaultHold), [200, 403]),
    effect("ApproximateTokenEnabled", "true", isServedWith(roughHold - 1), [200, 403]),
    effect("DisplayTokenStatEnabled", "false", async () => (await limitIn(limited.key)()) > 2, [
      false,
      true,
    ]),
    effect("ProofOfWorkBits", "1", registers, ["", "proof_of_work_required"]),
    effect("HCaptchaCheckEnabled", "true", registers, ["", "captcha_required"], {
      with: {
        HCaptchaSiteKey: "site",
        HCaptchaSecretKey: "s",
        ServerAddress: "https://gate.example",
      },
    }),
    effect("TurnstileCheckEnabled", "true", status("captcha"), ["none", "turnstile"], {
      with: {
        TurnstileSiteKey: "site",
        TurnstileSecretKey: "s",
        ServerAddress: "https://gate.example",
      },
    }),
    effect(
      "TrustedSignInRules",
      '[{"claim":"groups","value":"ops","role":10,"group":""}]',
      proxyRole,
      [1, 10],
    ),
    effect("AdminIssueLimit", "9", issues, ["", "quota_waits_for_root"]),
    effect("TokensPerUserMax", "1", createsToken, ["", "too_many_tokens"]),
    effect("TransferFromUsers", "true", status("transfers_to_users"), [false, true]),
    effect("BudgetTimeZone", "Europe/Berlin", budgetZone, ["UTC", "Europe/Berlin"]),
    effect("TokenCountsPerMinute", "1", countsTokens, [200, 429]),
    effect("TokenKeyRevealEnabled", "false", isRevealed, [true, false]),
    effect("DisplayInCurrencyEnabled", "false", () => limitIn(limited.key)(), [2, 1_000_000]),
  ];

  test.each(effects)(
    "$option is in force on the other gateway too",
    async ({ option, value, with: needs = {}, look, was, is }) => {
      const usual = new Map<string, string>();
      for (const name of [option, ...Object.keys(needs)]) usual.set(name, await read(name));
      const shows = (expected: unknown) => expect.poll(look, { timeout: 10_000 }).toEqual(expected);

      for (const [name, needed] of Object.entries(needs)) await put(name, needed);
      await shows(was);
      await put(option, value);
      await shows(is);
      await put(option, usual.get(option) ?? "");
      await shows(was);
      for (const [name, before] of usual) await put(name, before);
    },
  );
});
