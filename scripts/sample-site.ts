/** The site that `npm run dev` and `npm run demo` show: its people, channels and API keys. Plain data. */

/** For the sample site alone, which listens on this machine only. */
export const samplePassword = "tollgate-demo";

export interface SamplePerson {
  username: string;
  display_name: string;
  /** 1 user, 10 admin. */
  role: 1 | 10;
  /** 1 enabled, 2 disabled. */
  status: 1 | 2;
  /** Quota units granted a month ago. */
  granted: number;
}

const dollars = (amount: number): number => amount * 500_000;

export const people: readonly SamplePerson[] = [
  { username: "mara", display_name: "Mara Lindqvist", role: 10, status: 1, granted: dollars(200) },
  { username: "support", display_name: "Support desk", role: 1, status: 1, granted: dollars(150) },
  { username: "research", display_name: "Research", role: 1, status: 1, granted: dollars(400) },
  { username: "billing", display_name: "Invoice batch", role: 1, status: 1, granted: dollars(60) },
  { username: "tomas", display_name: "Tomas Okafor", role: 1, status: 2, granted: dollars(5) },
];

export interface SampleChannel {
  name: string;
  /** Of contract/src/channel-types.ts: 1 is OpenAI, 50 anything that speaks its shape. */
  type: 1 | 50;
  /** Tells the simulator how to behave (simulator/README.md). */
  key: string;
  models: string;
  priority: number;
  weight: number;
  model_configs?: string;
  status?: 2;
  /** Disabled by the gateway, for this reason. */
  autoDisabled?: string;
}

const own = { "llama-3.3-70b": { ratio: 0.1, completion_ratio: 1.5, max_tokens: 8192 } };

export const channels: readonly SampleChannel[] = [
  {
    name: "OpenAI production",
    type: 1,
    key: "sim-slow-120-900+pace-8+tokens-70+cached-20",
    models: "gpt-5.4,gpt-5,gpt-5-mini,gpt-4.1,gpt-4o-mini,o4-mini",
    priority: 10,
    weight: 3,
  },
  {
    name: "OpenAI second account",
    type: 1,
    key: "sim-slow-150-1100+pace-8+tokens-70+as-second",
    models: "gpt-5,gpt-5-mini,gpt-4.1,gpt-4o-mini",
    priority: 10,
    weight: 1,
  },
  {
    name: "Regional proxy (slow)",
    type: 50,
    key: "sim-slow-1200-2600+pace-15+tokens-40",
    models: "gpt-5-mini,gpt-4.1,gpt-4o-mini",
    priority: 5,
    weight: 0,
  },
  {
    name: "Own GPU server",
    type: 50,
    key: "sim-slow-60-200+pace-10+tokens-80",
    models: "gpt-oss-120b,llama-3.3-70b",
    priority: 0,
    weight: 0,
    model_configs: JSON.stringify(own),
  },
  {
    name: "Spot capacity",
    type: 50,
    key: "sim-fail-503-every-2+tokens-40",
    models: "o4-mini",
    priority: 20,
    weight: 0,
  },
  {
    name: "Trial account",
    type: 1,
    key: "sim-slow-90+fail-429-retry-45",
    models: "gpt-4o-mini",
    priority: 20,
    weight: 0,
  },
  {
    name: "Experimental mirror",
    type: 50,
    key: "sim-cut-24+pace-5+tokens-60",
    models: "gpt-4.1-nano",
    priority: 0,
    weight: 0,
  },
  {
    name: "Failing mirror",
    type: 50,
    key: "sim-fail-500",
    models: "gpt-4-turbo",
    priority: 0,
    weight: 0,
  },
  {
    name: "Contract of last year",
    type: 1,
    key: "sim-ok+as-last-year",
    models: "gpt-4o-mini,gpt-4.1",
    priority: 0,
    weight: 0,
    status: 2,
  },
  {
    name: "Reseller",
    type: 50,
    key: "sim-fail-401",
    models: "gpt-5,gpt-5-mini",
    priority: 15,
    weight: 0,
    autoDisabled: "the upstream refused the key (401)",
  },
];

export interface SampleToken {
  owner: string;
  name: string;
  /** Quota units; absent means unlimited. */
  quota?: number;
  /** Days from now at which it expires or has expired; absent means never. */
  expiresInDays?: number;
  isDisabled?: true;
  models?: string;
  subnet?: string;
  /** Its share of the calls; 0 makes none. */
  share: number;
}

export const tokens: readonly SampleToken[] = [
  { owner: "root", name: "Local development", share: 8 },
  { owner: "root", name: "Coding agents", quota: dollars(100), models: "gpt-5,gpt-5.4,gpt-5-mini,o4-mini", share: 22 },
  { owner: "root", name: "Office network only", quota: dollars(20), subnet: "192.168.0.0/16,10.0.0.0/8", share: 4 },
  { owner: "root", name: "Workshop", quota: dollars(0.1), models: "gpt-4.1", share: 5 },
  { owner: "root", name: "Summer intern", quota: dollars(10), expiresInDays: -9, share: 5 },
  { owner: "root", name: "Partner trial", quota: dollars(25), expiresInDays: 45, share: 3 },
  { owner: "root", name: "Old laptop", isDisabled: true, quota: dollars(5), share: 0 },
  { owner: "mara", name: "Notebook", share: 7 },
  { owner: "support", name: "Help centre", quota: dollars(120), models: "gpt-5-mini,gpt-4o-mini", share: 26 },
  { owner: "research", name: "Evaluation runs", share: 12 },
  { owner: "billing", name: "Invoice reader", quota: dollars(50), models: "gpt-4o-mini,gpt-4.1", share: 12 },
  { owner: "tomas", name: "First try", quota: dollars(5), isDisabled: true, share: 1 },
];
