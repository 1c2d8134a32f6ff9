/**
 * The Terraform provider against a running gateway: what is applied is there, nothing more is
 * planned, changes by others are drift, imports plan nothing, and what is destroyed is gone.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { startTestGateway, type TestGateway } from "@tollgate/tests/harness/test-gateway.ts";
import { openTofu, type Tofu, type TofuProgram } from "./terraform-command.ts";

const secrets = {
  TF_VAR_provider_key: "sim-ok",
  TF_VAR_first_password: "a first password of alice",
  TF_VAR_mail_password: "the secret of a mail server",
};
/** A secret setting, which no management key may change. */
const secretSetting = `
variable "mail_password" { sensitive = true }
variable "root_token" { sensitive = true }
provider "tollgate" {
  alias = "root"
  key   = var.root_token
}
resource "tollgate_option" "mail" {
  provider  = tollgate.root
  key       = "SMTPToken"
  secret_wo = var.mail_password
}
`;
/** The exit codes of `plan -detailed-exitcode`. */
const [nothing, changes] = [0, 2];
const empty = { code: nothing };

export interface TerraformFindings {
  /** The addresses of the resources that were applied. */
  resources: string[];
  /** What was checked. */
  checks: number;
  problems: string[];
}

interface Drift {
  address: string;
  /** The change by another hand. */
  method: "PUT" | "DELETE";
  path: string;
  body?(id: number): object;
}

const setBack = (path: string, address: string, fields: object): Drift => ({
  ...{ address, path, method: "PUT" },
  body: (id) => ({ id, ...fields }),
});
const drifts: readonly Drift[] = [
  setBack("/api/channel/", "tollgate_channel.west", { priority: 1 }),
  setBack("/api/virtual_model/", "tollgate_virtual_model.chat", {
    tiers: [{ strategy: "fastest", targets: [{ model: "gpt-5.6-sol", weight: 1 }] }],
  }),
  setBack("/api/user/", "tollgate_user.alice", { display_name: "Another" }),
  setBack("/api/budget/", "tollgate_budget.alice", { amount: 7, thresholds: [10] }),
  setBack("/api/team/", "tollgate_team.search", { rpm_limit: 1 }),
  setBack("/api/token/", "tollgate_token.deploy", { models: "" }),
  {
    ...{ address: "tollgate_option.retries", method: "PUT", path: "/api/option/" },
    body: () => ({ key: "RetryTimes", value: "9" }),
  },
  { address: "tollgate_budget.search", method: "DELETE", path: "/api/budget/" },
];

/** Resources whose secret is written and never read: their import plans nothing besides. */
const imported = [...drifts.map(({ address }) => address), ...["tollgate_option.mail"]] as const;

/** The lines of a plan that say what becomes of which resource. */
const listPlanned = (text: string): string =>
  text
    .split("\n")
    .filter((line) => /^ +# \S+ (?:will|must) be/.test(line))
    .join("\n");

interface Journey {
  tofu: Tofu;
  gateway: TestGateway;
  folder: string;
  check(what: string, found: unknown, wanted: unknown): void;
  /** Throws where the command fails. */
  must(...args: string[]): Promise<string>;
  /** The exit code alone where nothing is planned. */
  plan(): Promise<{ code: number; text?: string }>;
}

const readIds = async ({ folder }: Journey): Promise<Map<string, number>> => {
  const state = JSON.parse(await readFile(join(folder, "terraform.tfstate"), "utf8")) as {
    resources: {
      mode: string;
      type: string;
      name: string;
      instances: { attributes: { id?: number } }[];
    }[];
  };
  return new Map(
    state.resources
      .filter(({ mode }) => mode === "managed")
      .map(({ type, name, instances: [one] }) => [`${type}.${name}`, one?.attributes.id ?? 0]),
  );
};

/** The gateway says what it refuses before anything is made, and where. */
async function planWhatIsRefused({ tofu, folder, check, gateway }: Journey): Promise<void> {
  const file = join(folder, "refused.tf");
  await writeFile(file, `resource "tollgate_token" "long" {\n  name = "${"x".repeat(31)}"\n}\n`);
  const { code, text } = await tofu("plan", "-no-color");
  check("a plan of what the gateway refuses", code, 1);
  check("the field of the refusal", /with tollgate_token\.long,[\s\S]*name = /.test(text), true);
  await rm(file);
  check(
    "tokens after a refused plan",
    (await gateway.api<unknown[]>("GET", "/api/token/")).length,
    0,
  );
}

async function applyAll(journey: Journey): Promise<void> {
  const { must, plan, check, folder, gateway } = journey;
  await must("apply", "-auto-approve", "-no-color");
  check("the plan after apply", await plan(), empty);
  const state = await readFile(join(folder, "terraform.tfstate"), "utf8");
  for (const [name, secret] of Object.entries(secrets))
    check(`the state holds ${name}`, state.includes(secret), false);
  const key = await must("output", "-raw", "deploy_key");
  const { status } = await gateway.chat(key, { model: "gpt-5.6-terra" });
  check("a call with the key of the token", status, 200);
  await gateway.lastLog();
  check("the plan after a call was charged", await plan(), empty);
}

async function findDrift(journey: Journey): Promise<void> {
  const { must, plan, check, gateway } = journey;
  const ids = await readIds(journey);
  for (const { address, method, path, body } of drifts) {
    const id = ids.get(address) ?? 0;
    await gateway.api(method, body ? path : `${path}${id}`, body?.(id));
  }
  const found = await plan();
  check("the plan after changes by others", found.code, changes);
  for (const { address } of drifts)
    check(`${address} is in the plan`, found.text?.includes(`# ${address} will be`), true);
  await must("apply", "-auto-approve", "-no-color");
  check("the plan after the drift was undone", await plan(), empty);
  const west = await gateway.api<{ priority: number }>(
    "GET",
    `/api/channel/${ids.get("tollgate_channel.west")}`,
  );
  check("the priority of the channel", west.priority, 10);
}

async function importAll(journey: Journey): Promise<void> {
  const { must, plan, check } = journey;
  const ids = await readIds(journey);
  const names: Record<string, string> = {
    "tollgate_option.retries": "RetryTimes",
    "tollgate_option.mail": "SMTPToken",
  };
  // What was spent of a quota is not configured, so the configuration follows what is left.
  const rest = imported.filter((address) => address !== "tollgate_token.deploy");
  for (const address of rest) {
    await must("state", "rm", address);
    await must("import", "-no-color", address, names[address] ?? String(ids.get(address)));
    check(`the plan after the import of ${address}`, await plan(), empty);
  }
}

/** A member in place, and one that needs another budget. */
async function changeConfiguration(journey: Journey): Promise<void> {
  const { folder, must, plan, check, gateway } = journey;
  const file = join(folder, "main.tf");
  const before = await readIds(journey);
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text
      .replace("amount     = 5000000", "amount     = 6000000")
      .replace('"team=search"', '"team=find"')
      .replace("quota        = 1000000", "quota        = 1500000"),
  );
  await must("apply", "-auto-approve", "-no-color");
  check("the plan after a changed configuration", await plan(), empty);
  const after = await readIds(journey);
  const isSame = (address: string) => before.get(address) === after.get(address);
  check("the changed budget is the same row", isSame("tollgate_budget.alice"), true);
  check("the budget of another tag is another row", isSame("tollgate_budget.search"), false);
  const alice = await gateway.api<{ quota: number }>(
    "GET",
    `/api/user/${after.get("tollgate_user.alice")}`,
  );
  check("the quota of alice", alice.quota, 1_500_000);
}

async function destroyAll({ must, check, gateway }: Journey): Promise<void> {
  const text = await must("destroy", "-auto-approve", "-no-color");
  check("what is said of the team", text.includes("Disabled, not deleted"), true);
  for (const path of ["/api/channel/", "/api/virtual_model/", "/api/budget/", "/api/token/"])
    check(`rows of ${path}`, (await gateway.api<unknown[]>("GET", path)).length, 0);
  const teams = await gateway.api<{ name: string; status: number }[]>("GET", "/api/team/");
  check("the status of the team", teams.find(({ name }) => name === "search")?.status, 2);
  const options = await gateway.api<{ key: string; value: string; default_value: string }[]>(
    "GET",
    "/api/option/",
  );
  const retries = options.find(({ key }) => key === "RetryTimes");
  check("the setting", retries?.value, retries?.default_value);
}

const scopes = [
  ...["channels", "tokens", "users", "teams", "budgets", "options"].flatMap((one) => [
    `${one}:read`,
    `${one}:write`,
  ]),
  "models:read",
  "wallets:grant",
];

/** A key that was made in the console before anything was configured. */
const olderKey = "older";
const olderAddress = `tollgate_token.${olderKey}`;

/**
 * A key that exists already comes under the configuration without being made anew. It goes on
 * calling, and its value is in no state: the gateway showed it once, to whoever made it.
 */
async function importKey({ gateway, folder, must, plan, check }: Journey): Promise<void> {
  const { key } = await gateway.given.token({ name: olderKey, models: "gpt-5.6-terra" });
  const rows = await gateway.api<{ id: number; name: string }[]>("GET", "/api/token/");
  const id = rows.find(({ name }) => name === olderKey)?.id ?? 0;
  const block = `resource "tollgate_token" "${olderKey}" {
  name   = "${olderKey}"
  models = "gpt-5.6-terra"
}
`;
  await writeFile(join(folder, "older.tf"), block);
  await must("import", "-no-color", olderAddress, String(id));
  check("the plan after the import of a key", await plan(), empty);
  const state = await readFile(join(folder, "terraform.tfstate"), "utf8");
  const { resources } = JSON.parse(state) as {
    resources: { name: string; instances: { attributes: { key: unknown } }[] }[];
  };
  const found = resources.find(({ name }) => name === olderKey)?.instances[0]?.attributes;
  check("the key of the imported token in the state", found?.key, null);
  check("the state holds the imported key", state.includes(key), false);
  const { status } = await gateway.chat(key, { model: "gpt-5.6-terra" });
  check("a call with the imported key", status, 200);
  await gateway.lastLog();
  check("the plan after a call of the imported key", await plan(), empty);
}

export async function driveTerraform(
  program: TofuProgram,
  onStep: (step: string) => void,
): Promise<TerraformFindings> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-terraform-"));
  const problems: string[] = [];
  let checks = 0;
  const gateway = await startTestGateway({ store: "sqlite" });
  const createKey = async (given: readonly string[]): Promise<string> => {
    const body = { name: "terraform", scopes: given, lifetime_days: 1 };
    return (await gateway.api<{ key: string }>("POST", "/api/management_key/", body)).key;
  };
  try {
    await cp(join(repositoryDir, "terraform/examples/main.tf"), join(folder, "main.tf"));
    await writeFile(join(folder, "secret.tf"), secretSetting);
    const env = {
      TF_VAR_root_token: await gateway.api<string>("POST", "/api/user/token", {}),
      ...{ ...secrets, TF_VAR_base_url: gateway.simulator.url, TOLLGATE_URL: gateway.url },
      TOLLGATE_KEY: await createKey(scopes),
    };
    onStep("testing and building the provider");
    const tofu = await openTofu(program, folder, env);
    const journey: Journey = {
      ...{ tofu, gateway, folder },
      check(what, found, wanted) {
        checks += 1;
        const [is, should] = [found, wanted].map((value) => JSON.stringify(value));
        if (is !== should) problems.push(`${what}: ${is}, not ${should}`);
      },
      async must(...args) {
        const { code, text } = await tofu(...args);
        if (code !== 0) throw new Error(`tofu ${args.join(" ")}: ${text}`);
        return text;
      },
      async plan() {
        const found = await tofu("plan", "-detailed-exitcode", "-no-color");
        if (found.code === nothing) return empty;
        const { code, text } = found;
        return { code, text: code === changes ? listPlanned(text) : text };
      },
    };
    const steps = {
      ...{ planWhatIsRefused, applyAll, findDrift, importAll, importKey },
      ...{ changeConfiguration },
    };
    for (const [name, step] of Object.entries(steps)) {
      onStep(name);
      await step(journey);
    }
    const resources = [...(await readIds(journey)).keys()];
    onStep("destroyAll");
    await destroyAll(journey);
    return { resources, checks, problems };
  } catch (error) {
    return { resources: [], checks, problems: [...problems, (error as Error).message] };
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  }
}
