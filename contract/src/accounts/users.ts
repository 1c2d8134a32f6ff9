/** Accounts as replies show them: never with password, access token or second-factor secret. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line, nameList, unixMillis } from "../api/scalars.ts";
import { recentCalls } from "../figures/recent-calls.ts";

export const user = z.object({
  id: z.int(),
  uuid: z.string(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  /** An administrator who only sees; other servers send none. */
  read_only: z.optional(z.boolean()),
  status: z.int(),
  email: z.string(),
  github_id: z.string(),
  wechat_id: z.string(),
  lark_id: z.string(),
  oidc_id: z.string(),
  /** The balance, including what running calls hold. */
  quota: z.int(),
  /**
   * `debt` is what calls have cost beyond the balance: every credit pays it first. Other servers
   * send none.
   */
  debt: z.optional(z.int()),
  used_quota: z.int(),
  request_count: z.int(),
  group: z.string(),
  aff_code: z.string(),
  inviter_uuid: z.nullable(z.string()),
  mcp_tool_blacklist: z.array(z.string()),
  metadata: z.object({ password_locked: z.optional(z.boolean()) }),
  /** While true, every operation except choosing a new password is refused. */
  must_change_password: z.boolean(),
  /** The name that a program gave the account; empty for none. */
  external_id: z.string(),
  created_time: z.int(),
  created_at: unixMillis,
  updated_at: unixMillis,
  recent: recentCalls,
});
export type User = z.output<typeof user>;

const passwordLengthMin = 8;
const definePasswordChecks = (least: number) =>
  z.string().check(
    z.refine(
      (text) => text.length >= passwordLengthMin || text.length < least,
      "Password must be at least 8 characters",
    ),
    z.maxLength(128, "Password must be at most 128 characters"),
  );
/** 8 to 128 characters of any kind. Never trimmed; Unicode is normalised before hashing. */
export const newPassword = definePasswordChecks(0);
/** `passwordOrNone` is the same, or empty where that means no change. */
export const passwordOrNone = definePasswordChecks(1);
/** A password to compare: any length up to a bound. */
export const presentedPassword = z.string().check(z.maxLength(256));

/**
 * A name as it is stored: in Unicode's form NFKC, without blanks around it, invisible characters,
 * and the @ by which sign-in tells mail addresses from names.
 */
export const defineUsername = (lengthMin: number, tooShort: string): z.ZodMiniString =>
  z
    .string()
    .check(
      z.normalize("NFKC"),
      z.trim(),
      z.minLength(lengthMin, tooShort),
      z.maxLength(30),
      z.regex(
        /^[^\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]*$/u,
        "Username must not contain invisible characters",
      ),
      z.regex(/^[^@]*$/, "Username must not contain @"),
    );
export const username = defineUsername(3, "Username must be at least 3 characters");
/**
 * `editedUsername` is in an edit: forms send an unchanged name too, and one of before these rules
 * is accepted unchanged.
 */
export const editedUsername = line(30);
export const mailAddress = z.email("Valid email is required").check(z.maxLength(50));
/** `email` may be empty, for none. */
export const email = z.union([z.literal(""), mailAddress], {
  error: "Valid email is required",
});

export const listGroups = endpoint("GET", "/api/group/", {
  access: "admin",
  scope: "users:read",
  summary: "Names of the groups",
  data: z.array(z.string()),
});

const availableModels = {
  access: "user",
  scope: "models:read",
  summary:
    "Names of the models that the caller's group may use, or those of the groups that a key would name, sorted",
  /** Names joined by commas; those that the caller's keys may not name count as absent. */
  query: z.object({ groups: z.optional(nameList(400)) }),
  data: z.array(z.string()),
} as const;
export const listAvailableModels = endpoint("GET", "/api/user/available_models", availableModels);
/** The address of newer servers of the family. */
export const listUserModels = endpoint("GET", "/api/user/models", availableModels);
