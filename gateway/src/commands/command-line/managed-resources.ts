/**
 * The resources that the command line manages: the operations of the contract behind each verb, and
 * the columns of a table.
 */
import { disableAnyToken, listAllTokens } from "@tollgate/contract/accounts/all-tokens.ts";
import { rotateToken } from "@tollgate/contract/accounts/key-rotation.ts";
import {
  createTeam,
  getTeam,
  listTeams,
  putTeam,
  updateTeam,
} from "@tollgate/contract/accounts/teams.ts";
import {
  createToken,
  deleteToken,
  getToken,
  listTokens,
  putToken,
  searchTokens,
  tokenStatus,
  updateToken,
  updateTokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  putUser,
  searchUsers,
  updateUser,
  updateUserStatus,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import {
  channelStatus,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  putChannel,
  searchChannels,
  updateChannel,
  updateChannelStatus,
} from "@tollgate/contract/catalogue/channels.ts";

export interface ManagedResource {
  /** `noun` is one of them, for messages. */
  noun: string;
  endpoints: {
    list: Endpoint;
    /** The list by a keyword. */
    search: Endpoint;
    show: Endpoint;
    create: Endpoint;
    /** `put` goes by the name that a program gave: creates or changes. */
    put: Endpoint;
    update: Endpoint;
    setStatus: Endpoint;
    /** Missing where no management key may delete one. */
    remove?: Endpoint;
    /** Makes a new secret, while the old one works on for a while. */
    rotate?: Endpoint;
  };
  /** `everyone` holds those of all users, for administrators. */
  everyone?: { list: Endpoint; disable: Endpoint };
  /** The members that a table shows; all are there with --json. */
  columns: readonly string[];
  /**
   * Members that hold secrets: they come from files, never from arguments, which every user of the
   * machine can read.
   */
  secrets: readonly string[];
  /**
   * The member that the reply to a creation holds in clear. It is shown when asked, and masked
   * otherwise.
   */
  shownSecret?: string;
  /** `statuses` go by their number. */
  statuses: ReadonlyMap<number, string>;
  /**
   * A member of money by the one that says what it was when it was read: the edit is a difference
   * then, and undoes no spending.
   */
  readMembers: Readonly<Record<string, string>>;
}

const onOff: readonly (readonly [number, string])[] = [
  [1, "enabled"],
  [2, "disabled"],
];

export const managedResources = {
  users: {
    noun: "user",
    endpoints: {
      list: listUsers,
      search: searchUsers,
      show: getUser,
      create: createUser,
      put: putUser,
      update: updateUser,
      setStatus: updateUserStatus,
      remove: deleteUser,
    },
    columns: ["id", "username", "role", "status", "group", "quota", "used_quota", "external_id"],
    secrets: ["password"],
    statuses: new Map(onOff),
    readMembers: { quota: "quota_read" },
  },
  keys: {
    noun: "key",
    endpoints: {
      list: listTokens,
      search: searchTokens,
      show: getToken,
      create: createToken,
      put: putToken,
      update: updateToken,
      setStatus: updateTokenStatus,
      remove: deleteToken,
      rotate: rotateToken,
    },
    everyone: { list: listAllTokens, disable: disableAnyToken },
    columns: [
      "id",
      "name",
      "username",
      "key",
      "key_ending",
      "status",
      "remain_quota",
      "used_quota",
      "external_id",
    ],
    secrets: [],
    shownSecret: "key",
    statuses: new Map([
      ...onOff,
      [tokenStatus.expired, "expired"],
      [tokenStatus.exhausted, "exhausted"],
      [tokenStatus.paused, "paused"],
    ]),
    readMembers: { remain_quota: "remain_quota_read" },
  },
  teams: {
    noun: "team",
    endpoints: {
      list: listTeams,
      search: listTeams,
      show: getTeam,
      create: createTeam,
      put: putTeam,
      update: updateTeam,
      setStatus: updateTeam,
    },
    columns: ["id", "name", "status", "group", "balance", "members", "keys", "external_id"],
    secrets: [],
    statuses: new Map(onOff),
    readMembers: {},
  },
  channels: {
    noun: "channel",
    endpoints: {
      list: listChannels,
      search: searchChannels,
      show: getChannel,
      create: createChannel,
      put: putChannel,
      update: updateChannel,
      setStatus: updateChannelStatus,
      remove: deleteChannel,
    },
    columns: [
      "id",
      "name",
      "type",
      "status",
      "group",
      "priority",
      "weight",
      "models",
      "managed_by",
    ],
    secrets: ["key", "config"],
    statuses: new Map([...onOff, [channelStatus.autoDisabled, "disabled automatically"]]),
    readMembers: {},
  },
} as const satisfies Record<string, ManagedResource>;

export type ManagedResourceName = keyof typeof managedResources;
export const managedResourceNames = Object.keys(managedResources) as ManagedResourceName[];
