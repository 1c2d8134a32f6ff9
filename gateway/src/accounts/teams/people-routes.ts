/**
 * API routes by which many people come into a team in one step, and by which a team is made of
 * them.
 */
import {
  addTeamPeople,
  createTeamOfPeople,
  type TeamPeopleInput,
} from "@tollgate/contract/accounts/team-people.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { sql as raw } from "kysely";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation, showsSecretAgain } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { checkGroup, checkKeyGroups } from "../../settings/group-rules.ts";
import type { Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { UserAccount, UserStore } from "../identity/users/user-store.ts";
import { issueKey } from "../tokens/issue-key.ts";
import { checkTeamKeyLifetime } from "../tokens/team-key-lifetime.ts";
import { buildInitialColumns } from "../tokens/token-rules.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import { revealKey } from "../tokens/token-view.ts";
import { type AskedPerson, findProblem, isPresent, viewPerson } from "./people-rules.ts";
import { reachTeam, type TeamCall, type TeamDeps } from "./reach-team.ts";
import { buildTeamColumns, checkMayDo, viewTeam } from "./team-rules.ts";

interface PeopleDeps extends Pick<TeamDeps, "db" | "teams" | "options"> {
  users: Pick<UserStore, "byId" | "byLogin" | "byReference">;
  tokens: Pick<TokenStore, "insert">;
  seal: Sealer;
}

/** `JoinedTeam` is a team that exists, or one that the same batch makes. */
interface JoinedTeam {
  /** The id in statements: a new team has none before the batch runs. */
  id: number;
  group: string;
  /** The owner is in the team, whatever the request says. */
  ownerId: number;
}

export function buildPeopleRoutes({
  db,
  teams,
  users,
  tokens,
  options,
  seal,
}: PeopleDeps): ApiRoute[] {
  /** Each account once, in ascending order of ids, so that two requests lock them alike. */
  const findPeople = async (
    { ids, usernames }: TeamPeopleInput,
    memberOf: (account: UserAccount) => Promise<AskedPerson["member"]>,
  ): Promise<AskedPerson[]> => {
    const found = new Map<number | string, AskedPerson>();
    const add = async (name: string, account: UserAccount | undefined) => {
      const member = account && (await memberOf(account));
      found.set(account?.id ?? name, { name, account, member });
    };
    for (const reference of ids)
      await add(String(reference.id ?? reference.uuid), await users.byReference(reference));
    for (const username of usernames.map((name) => name.trim()).filter(Boolean))
      await add(username, await users.byLogin(username));
    return [...found.values()].sort(
      (one, other) => (one.account?.id ?? 0) - (other.account?.id ?? 0),
    );
  };
  const plan = (
    call: AuthenticatedContext,
    people: readonly AskedPerson[],
    input: TeamPeopleInput,
  ) => {
    const rules = {
      ...input,
      principal: call.principal,
      keysMax: options.number("TokensPerUserMax"),
    };
    return people.map((person) => ({ person, problem: findProblem(person, rules) }));
  };
  /** `checkAll` lets all of them pass or nobody: the first problem is the refusal. */
  const checkAll = (planned: ReturnType<typeof plan>): void => {
    for (const { person, problem } of planned)
      if (problem !== undefined)
        throw refuse(problem.code, { message: `${person.name}: ${problem.message}` });
  };
  const preview = (planned: ReturnType<typeof plan>, input: TeamPeopleInput) =>
    planned.map(({ person, problem }) => viewPerson(person, input, problem));

  /** Memberships, caps and keys, in the batch that may make the team. */
  const planJoins = (
    call: AuthenticatedContext,
    team: JoinedTeam,
    people: readonly AskedPerson[],
    input: TeamPeopleInput,
  ): Write[] => {
    const accountIds = people.flatMap(({ account }) => (account ? [account.id] : []));
    const joining = people.flatMap((person) =>
      person.account && !isPresent(person) && person.account.id !== team.ownerId
        ? [person.account.id]
        : [],
    );
    const { key } = input;
    const made =
      key === undefined ? [] : accountIds.map((userId) => buildKey(call, team, userId, key));
    return [
      ...joining.map((userId) => teams.putMember(team.id, userId, input.role, call.now)),
      ...(joining.length > 0
        ? planMemberCaps(db, { teamId: team.id, userIds: joining }, call.now)
        : []),
      ...(made.length > 0 ? tokens.insert(made) : []),
    ];
  };
  const buildKey = (
    call: AuthenticatedContext,
    team: JoinedTeam,
    user_id: number,
    input: NonNullable<TeamPeopleInput["key"]>,
  ) => {
    const uuid = readUuid7(call.now);
    const columns = buildInitialColumns({ ...input, external_id: "" }, team.group);
    checkKeyGroups(options, team.group, columns.groups);
    if (columns.bodies !== "") throw refuse("bodies_off");
    checkTeamKeyLifetime(options, columns.expired_at, call.now);
    return {
      ...{ uuid, user_id, team_id: team.id, service: 0 as const, made_by: call.principal.id },
      ...columns,
      ...issueKey(seal, uuid),
      ...{ created_at: call.now, updated_at: call.now, accessed_at: call.now },
    };
  };
  const write = (batch: Write[]) => db.write(batch, { changes: ["teams", "tokens", "budgets"] });

  /**
   * `view` serves a repetition too: the keys that the first request made are found by its moment.
   */
  const view = async (
    call: AuthenticatedContext,
    uuid: string,
    input: TeamPeopleInput,
    madeAt: number,
  ) => {
    const { row, standings } = await reachTeam({ teams }, call, { uuid });
    const people = await findPeople(input, ({ id }) => teams.member(row.id, id));
    const made = showsSecretAgain(madeAt, call.now)
      ? await teams.tokensMadeAt(row.id, call.principal.id, madeAt)
      : [];
    const keys = new Map(made.map((token) => [token.user_id, revealKey(token, seal)]));
    return {
      team: viewTeam(row, standings),
      people: people.map((person) =>
        viewPerson(person, input, undefined, keys.get(person.account?.id ?? 0)),
      ),
    };
  };

  const add = async (call: TeamCall & { body: BodyOf<typeof addTeamPeople> }) => {
    const { body } = call;
    const { row, standings } = await reachTeam({ teams }, call, call.params.id);
    checkMayDo(standings, "administer");
    const find = async () =>
      plan(call, await findPeople(body, ({ id }) => teams.member(row.id, id)), body);
    if (body.preview === true)
      return { team: viewTeam(row, standings), people: preview(await find(), body) };
    const { madeAt } = await idempotentCreation(db, call, {
      name: "team.add_people",
      body: { team: row.uuid, ...body },
      async create(remember) {
        const planned = await find();
        checkAll(planned);
        const people = planned.map(({ person }) => person);
        const joins = planJoins(
          call,
          { id: row.id, group: row.group, ownerId: row.owner_id },
          people,
          body,
        );
        const audits = call.audit("team.add_people", row.uuid, tellPeople(row.name, people, body));
        await write([...joins, ...audits, ...remember(row.uuid)]);
        return row.uuid;
      },
    });
    return view(call, row.uuid, body, madeAt);
  };

  const create = async (
    call: AuthenticatedContext & { body: BodyOf<typeof createTeamOfPeople> },
  ) => {
    const {
      ids: _,
      usernames: _names,
      role: _role,
      key: _key,
      preview: isPreview,
      ...teamInput
    } = call.body;
    const { body } = call;
    const ownerId = teamInput.owner_id ?? call.principal.id;
    checkGroup(options, teamInput.group);
    const owner = await users.byId(ownerId);
    if (!owner) throw refuse("user_not_found");
    const find = async () => plan(call, await findPeople(body, async () => undefined), body);
    if (isPreview === true) return { team: null, people: preview(await find(), body) };
    const { reference: uuid, madeAt } = await idempotentCreation(db, call, {
      name: "team.create_of_people",
      body,
      async create(remember) {
        const planned = await find();
        checkAll(planned);
        const people = planned.map(({ person }) => person);
        const columns = buildTeamColumns(teamInput, ownerId, readUuid7(call.now), call.now);
        // Statements take an expression where they take a value.
        const id =
          raw<number>`(select id from teams where uuid = ${columns.uuid})` as unknown as number;
        await write([
          ...teams.insert(columns, readUuid7(call.now)),
          ...planJoins(call, { id, group: columns.group, ownerId }, people, body),
          ...call.audit("team.create", columns.uuid, columns),
          ...call.audit("team.add_people", columns.uuid, tellPeople(columns.name, people, body)),
          ...remember(columns.uuid),
        ]);
        return columns.uuid;
      },
    });
    return view(call, uuid, body, madeAt);
  };

  return [apiRoute(addTeamPeople, add), apiRoute(createTeamOfPeople, create)];
}

/** The names are for who reads the record when the accounts are gone. */
const tellPeople = (name: string, people: readonly AskedPerson[], input: TeamPeopleInput) => ({
  name,
  users: people.map(({ account }) => account?.username ?? "").join(", "),
  role: input.role,
  key: input.key?.name ?? "",
});
