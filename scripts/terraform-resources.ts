/**
 * The resources and data sources of the Terraform provider: which operations of the contract each
 * uses, and what the contract alone does not say. Members come from the schemas.
 */
import { budgetWindows } from "@tollgate/contract/accounts/budget-kinds.ts";
import * as budgets from "@tollgate/contract/accounts/budgets.ts";
import * as teams from "@tollgate/contract/accounts/teams.ts";
import * as tokens from "@tollgate/contract/accounts/tokens.ts";
import * as userAdmin from "@tollgate/contract/accounts/user-admin.ts";
import * as users from "@tollgate/contract/accounts/users.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import * as channels from "@tollgate/contract/catalogue/channels.ts";
import * as virtualModels from "@tollgate/contract/catalogue/virtual-models.ts";

export interface TerraformResource {
  summary: string;
  create: Endpoint;
  read: Endpoint;
  update: Endpoint;
  delete: Endpoint;
  /** The code of the refusal that says that it is gone. */
  missing: ErrorCode;
  /** Members of requests that no reply shows. */
  secrets?: readonly string[];
  /** Members that may hold a secret among other things; replies show them without it. */
  sensitive?: readonly string[];
  /** Members that only the reply to the creation shows. */
  shownOnce?: readonly string[];
  /** Members that a creation takes and does not obey: a change follows it. */
  afterCreation?: readonly string[];
  /**
   * Members of requests that are no state: other spellings of a member, or orders to the one
   * request.
   */
  leftOut?: readonly string[];
  /** The member of the reply that has another name there, where `subject` has the value. */
  readFrom?: Readonly<Record<string, { member: string; subject: string }>>;
  /** Where the comments of the members stand: exports by the module of the contract. */
  comments: Readonly<Record<string, readonly string[]>>;
  /** Sentences for members whose comments speak of something else. */
  sentences?: Readonly<Record<string, string>>;
}

const quotaSentence =
  "Units; what calls spend is no drift. A change is applied as a difference, so that it undoes no spending";

export const terraformResources = {
  channel: {
    summary: "One account at a provider",
    create: channels.createChannel,
    read: channels.getChannel,
    update: channels.updateChannel,
    delete: channels.deleteChannel,
    missing: "channel_not_found",
    secrets: ["key"],
    sensitive: ["config"],
    leftOut: ["tested", "key_added", "managed_by"],
    comments: {
      "catalogue/channel-input.ts": ["channelInput"],
      "catalogue/channels.ts": ["channel"],
    },
    sentences: {
      key: "The provider's key, or its credentials where the type has several",
      type: `The number of its type: ${channelTypes.map(({ id, name }) => `${id} ${name}`).join(", ")}`,
      models: "Comma-joined",
      group: "Comma-joined",
    },
  },
  token: {
    summary: "An API key of the account that made the management key",
    create: tokens.createToken,
    read: tokens.getToken,
    update: tokens.updateToken,
    delete: tokens.deleteToken,
    missing: "token_not_found",
    shownOnce: ["key"],
    leftOut: ["pause_reason", "model_limits_enabled", "model_limits", "allow_ips", "group"],
    comments: { "accounts/tokens.ts": ["tokenInput", "token"] },
    sentences: {
      key: "The whole key, from the reply to the creation; null after an import",
      remain_quota: quotaSentence,
      status: "1 enabled, 2 disabled, 5 paused",
    },
  },
  user: {
    summary: "An account",
    create: userAdmin.createUser,
    read: userAdmin.getUser,
    update: userAdmin.updateUser,
    delete: userAdmin.deleteUser,
    missing: "user_not_found",
    secrets: ["password"],
    afterCreation: ["role"],
    comments: {
      "accounts/user-admin.ts": ["userInput", "userChange"],
      "accounts/users.ts": ["user"],
    },
    sentences: {
      password: "A password shorter than 8 is temporary",
      quota: quotaSentence,
      role: "1 user, 10 administrator, 100 root; lower than that of the key's maker",
      status: "1 enabled, 2 disabled",
    },
  },
  team: {
    summary: "People who share a wallet",
    create: teams.createTeam,
    read: teams.getTeam,
    update: teams.updateTeam,
    delete: teams.deleteTeam,
    missing: "team_not_found",
    comments: { "accounts/teams.ts": ["teamInput", "team", "teamSettings"] },
    sentences: { status: "1 enabled, 2 disabled" },
  },
  budget: {
    summary: "What a subject may spend in each window of time",
    create: budgets.createBudget,
    read: budgets.getBudget,
    update: budgets.updateBudget,
    delete: budgets.deleteBudget,
    missing: "budget_not_found",
    leftOut: ["managed_by"],
    readFrom: {
      model: { member: "subject_name", subject: "model" },
      tag: { member: "subject_name", subject: "tag" },
    },
    comments: {
      "accounts/budgets.ts": [...["budgetInput", "namedSubject", "budgetSettings", "budget"]],
    },
    sentences: {
      model: "The model of a budget whose subject is `model`",
      window: `${budgetWindows.map((name) => `\`${name}\``).join(", ")}, or \`days:N\``,
    },
  },
  virtual_model: {
    summary: "A name that stands for tiers of real models",
    create: virtualModels.createVirtualModel,
    read: virtualModels.getVirtualModel,
    update: virtualModels.updateVirtualModel,
    delete: virtualModels.deleteVirtualModel,
    missing: "virtual_model_not_found",
    leftOut: ["managed_by"],
    comments: {
      "catalogue/virtual-models.ts": ["virtualModelInput", "virtualModelRules", "target"],
    },
  },
} as const satisfies Record<string, TerraformResource>;

/** Lists of names that other resources refer to. */
export const terraformLists = {
  models: users.listAvailableModels,
  groups: users.listGroups,
} as const satisfies Record<string, Endpoint>;
