/** The site of `npm run dev` and `npm run demo`: its users and their API keys, as plain data. */

/** Only for the sample site, which listens on this machine only. */
export const samplePassword = "tollgate-demo";

export interface SampleUser {
  username: string;
  display_name: string;
  /** 1 user, 10 admin. */
  role: 1 | 10;
  group: "default" | "vip";
  /** Quota units granted a month ago. */
  quota: number;
  /** The state of the account today. */
  endState?: "disabled" | "deleted";
  hasSecondFactor?: true;
  /** Set by an administrator; the user must change it at the first sign-in. */
  temporaryPassword?: string;
}

export const dollars = (amount: number): number => Math.round(amount * 500_000);

/** `sampleUsers` hold all users except root and the invited one (sample-events.ts). */
export const sampleUsers: readonly SampleUser[] = [
  sampleUser("mara", "Mara Lindqvist", "default", 200, { role: 10 }),
  sampleUser("jonas", "Jonas Weber", "default", 80, { role: 10, hasSecondFactor: true }),
  sampleUser("support", "Support desk", "default", 150),
  sampleUser("research", "Research", "vip", 400),
  sampleUser("billing", "Invoice batch", "default", 60),
  sampleUser("amelie", "Amélie Fournier", "vip", 120),
  sampleUser("liuting", "Liu Ting", "default", 60),
  sampleUser("elena", "Elena Petrova", "default", 90),
  sampleUser("yuki", "Yuki Tanaka", "default", 10, { temporaryPassword: "hello7" }),
  sampleUser("tomas", "Tomas Okafor", "default", 5, { endState: "disabled" }),
  sampleUser("former", "Former colleague", "default", 0, { endState: "deleted" }),
];

function sampleUser(
  username: string,
  display_name: string,
  group: SampleUser["group"],
  granted: number,
  remaining: Partial<SampleUser> = {},
): SampleUser {
  return { username, display_name, role: 1, group, quota: dollars(granted), ...remaining };
}

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
  /** The token's share of the calls; 0 for none. */
  share: number;
}

export const sampleTokens: readonly SampleToken[] = [
  { owner: "root", name: "Local development", share: 8 },
  {
    owner: "root",
    name: "Coding agents",
    quota: dollars(100),
    models: "gpt-5.2,gpt-5.4,gpt-5.4-mini,gpt-5.5",
    share: 22,
  },
  {
    owner: "root",
    name: "Office network only",
    quota: dollars(20),
    subnet: "192.168.0.0/16,10.0.0.0/8",
    share: 4,
  },
  { owner: "root", name: "Workshop", quota: dollars(0.04), models: "gpt-5.6-terra", share: 5 },
  { owner: "root", name: "Summer intern", quota: dollars(10), expiresInDays: -9, share: 5 },
  { owner: "root", name: "Partner trial", quota: dollars(25), expiresInDays: 45, share: 3 },
  { owner: "root", name: "Old laptop", isDisabled: true, quota: dollars(5), share: 0 },
  { owner: "mara", name: "Notebook", share: 7 },
  {
    owner: "jonas",
    name: "Incident assistant",
    quota: dollars(60),
    models: "claude-sonnet-5,gpt-5.4-mini",
    share: 6,
  },
  {
    owner: "support",
    name: "Help centre",
    quota: dollars(120),
    models: "gpt-5.4-mini,gpt-5.6-luna",
    share: 26,
  },
  { owner: "research", name: "Evaluation runs", share: 12 },
  {
    owner: "billing",
    name: "Invoice reader",
    quota: dollars(50),
    models: "gpt-5.6-luna,gpt-5.6-terra",
    share: 12,
  },
  {
    owner: "amelie",
    name: "Design studio",
    models: "claude-opus-5,claude-sonnet-5,gemini-2.5-pro",
    share: 8,
  },
  {
    owner: "liuting",
    name: "Translation",
    quota: dollars(30),
    models: "deepseek-v3.2,qwen3-32b,gpt-5.4-nano",
    share: 7,
  },
  { owner: "elena", name: "Data pipeline", quota: dollars(60), subnet: "10.20.0.0/16", share: 9 },
  { owner: "tomas", name: "First try", quota: dollars(5), isDisabled: true, share: 4 },
];
