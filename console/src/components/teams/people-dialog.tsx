import { Plural, Trans, useLingui } from "@lingui/react/macro";
import {
  addTeamPeople,
  createTeamOfPeople,
  type JoinedPerson,
  teamPeopleMax,
} from "@tollgate/contract/accounts/team-people.ts";
import {
  getTeam,
  listTeamMembers,
  listTeams,
  listTeamTokens,
  type Team,
  teamRoles,
} from "@tollgate/contract/accounts/teams.ts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { formatRefusalMessage } from "../../api-messages.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { loadWords, refusalWords } from "../../load-words.ts";
import { useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CheckboxField, SelectField } from "../../ui/form/field-choice.tsx";
import { TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { unfinished, useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { SmallTable } from "../../ui/table/small-table.tsx";
import { parseNames } from "../batch/batch-names.ts";
import { BatchResult } from "../batch/batch-result.tsx";
import { findUserNamed } from "../find-user-named.ts";
import { useIdempotencyKey } from "../forms/idempotency-key.ts";
import { DollarField } from "../forms/quota-field.tsx";
import { NewTeamFields } from "./new-team-fields.tsx";
import { teamRoleHelp, teamRoleLabels } from "./team-words.ts";

/**
 * `PeopleTarget` is the team that people come into, or the chosen accounts of which a new one is
 * made.
 */
export type PeopleTarget = { team: Team } | { ids: readonly string[] };
type PeopleDialogProps = { target: PeopleTarget; onDone?: () => void; onClose: () => void };

type PeopleForm = {
  name: string;
  owner: string;
  group: string;
  names: string;
  role: string;
  hasKeys: boolean;
  keyName: string;
  limit: string;
};
/** `Previewed` says what of the form the preview on the screen is of. */
type Previewed = { asked: string; people: JoinedPerson[] };

const keyNameMax = 50;

/**
 * Many people in one step: the first press shows who they are, the second adds all of them or
 * nobody.
 */
export function PeopleDialog({ target, onDone, onClose }: PeopleDialogProps) {
  const { t } = useLingui();
  const { user } = useSession();
  const keyFor = useIdempotencyKey();
  const [previewed, setPreviewed] = useState<Previewed>();
  const [made, setMade] = useState<{ team: Team; people: JoinedPerson[] }>();
  const isNew = "ids" in target;
  const form = useContractForm({
    schema: definePeopleSchema(
      {
        name: t`Name is required`,
        owner: t`Enter a username`,
        names: t`Enter usernames`,
        max: t`At most ${teamPeopleMax} names at once`,
        limit: t`Enter an amount such as 12.50`,
      },
      isNew,
    ),
    initial: {
      ...{ name: "", owner: user?.username ?? "", group: "default", names: "", role: "member" },
      ...{ hasKeys: true, keyName: "", limit: "" },
    },
    onSubmit: async (values) => {
      const asked = composeAsked(form.methods.getValues());
      const isShown = previewed?.asked === asked && findProblems(previewed.people).length === 0;
      const body = await buildBody(values, target, t`No user has this name`);
      const reply = await send(
        target,
        { ...body, preview: !isShown },
        isShown ? keyFor(body) : undefined,
      );
      await loadWords(refusalWords);
      if (!isShown || reply.team === null) {
        setPreviewed({ asked, people: reply.people });
        return unfinished;
      }
      onDone?.();
      setMade({ team: reply.team, people: reply.people });
      return undefined;
    },
  });
  const values: PeopleForm = {
    ...{
      name: useFieldValue(form, "name"),
      owner: useFieldValue(form, "owner"),
      group: useFieldValue(form, "group"),
    },
    ...{ names: useFieldValue(form, "names"), role: useFieldValue(form, "role") },
    hasKeys: useFieldValue(form, "hasKeys"),
    ...{ keyName: useFieldValue(form, "keyName"), limit: useFieldValue(form, "limit") },
  };
  if (made !== undefined) return <PeopleAdded {...made} isNew={isNew} onClose={onClose} />;
  const shown = previewed?.asked === composeAsked(values) ? previewed.people : undefined;
  const isReady = shown !== undefined && findProblems(shown).length === 0;
  const role = teamRoles.find((known) => known === values.role) ?? "member";
  return (
    <FormDialog
      form={form}
      title={
        isNew ? (
          <Trans>Team of these people</Trans>
        ) : (
          <Trans>Add people to {target.team.name}</Trans>
        )
      }
      submit={
        !isReady ? (
          <Trans>Preview</Trans>
        ) : isNew ? (
          <Trans>Create team</Trans>
        ) : (
          <Plural value={shown.length} one="Add # person" other="Add # people" />
        )
      }
      onClose={onClose}
    >
      {isNew ? (
        <>
          <TextField {...form.field("name")} label={t`Name`} maxLength={60} required />
          <NewTeamFields />
        </>
      ) : (
        <TextAreaField
          {...form.field("names")}
          label={t`Usernames`}
          help={t`One on each line.`}
          rows={6}
          required
        />
      )}
      <SelectField
        {...form.field("role")}
        label={t`Role`}
        help={t(teamRoleHelp[role])}
        choices={teamRoles.map((value) => ({ value, label: t(teamRoleLabels[value]) }))}
      />
      {role !== "viewer" && (
        <CheckboxField
          {...form.field("hasKeys")}
          label={t`Make an API key for each of them`}
          help={t`You see the keys once and hand them over. The team pays for their calls.`}
        />
      )}
      {role !== "viewer" && values.hasKeys && (
        <>
          <TextField
            {...form.field("keyName")}
            label={t`Name of the keys`}
            help={t`Leave empty to use the name of the team.`}
            maxLength={keyNameMax}
          />
          <DollarField
            {...form.field("limit")}
            label={t`Limit of each key`}
            note={<Trans>Leave empty to let it spend as much as the team has.</Trans>}
          />
        </>
      )}
      {shown !== undefined && <PeoplePreview people={shown} isNew={isNew} />}
    </FormDialog>
  );
}

/** `composeAsked` is alike for the same answers: a change of one of them ends the preview. */
const composeAsked = ({
  name,
  owner,
  group,
  names,
  role,
  hasKeys,
  keyName,
  limit,
}: PeopleForm): string =>
  JSON.stringify([name, owner, group, names, role, hasKeys, keyName, limit]);

const findProblems = (people: readonly JoinedPerson[]) =>
  people.filter(({ problem }) => problem !== null);

type PeopleMessages = { name: string; owner: string; names: string; max: string; limit: string };

const definePeopleSchema = (messages: PeopleMessages, isNew: boolean) =>
  z.object({
    name: z.string().check(z.trim(), z.minLength(isNew ? 1 : 0, messages.name)),
    owner: z.string().check(z.trim(), z.minLength(isNew ? 1 : 0, messages.owner)),
    group: z.string(),
    names: z.string().check(
      z.refine((text) => isNew || parseNames(text).length > 0, messages.names),
      z.refine((text) => parseNames(text).length <= teamPeopleMax, messages.max),
    ),
    role: z.enum(teamRoles),
    hasKeys: z.boolean(),
    keyName: z.string().check(z.trim(), z.maxLength(keyNameMax)),
    limit: z.string().check(z.trim(), z.regex(/^\d{0,15}$/, messages.limit)),
  });
type PeopleValues = z.output<ReturnType<typeof definePeopleSchema>>;

async function buildBody(values: PeopleValues, target: PeopleTarget, unknownOwner: string) {
  const { name, owner, group, names, role, hasKeys, keyName, limit } = values;
  const key = {
    name: keyName || name || ("team" in target ? target.team.name : ""),
    ...{ remain_quota: Number(limit), unlimited_quota: limit === "" },
  };
  const people = { role, ...(hasKeys && role !== "viewer" && { key }) };
  if ("team" in target) return { ...people, usernames: parseNames(names) };
  return {
    ...people,
    ids: [...target.ids],
    name,
    group,
    owner_id: await findUserNamed(owner, unknownOwner, "owner"),
  };
}

type PeopleBody = Awaited<ReturnType<typeof buildBody>> & { preview: boolean };

async function send(target: PeopleTarget, body: PeopleBody, idempotencyKey: string | undefined) {
  const once = idempotencyKey === undefined ? {} : { idempotencyKey };
  const refreshes = body.preview ? [] : [listTeamMembers, listTeamTokens, getTeam, listTeams];
  if ("team" in target) {
    const params = { id: readEntityRef(target.team) };
    return (await api.change(addTeamPeople, refreshes, { params, body, ...once })).data;
  }
  return (await api.change(createTeamOfPeople, refreshes, { body: { name: "", ...body }, ...once }))
    .data;
}

/** `PeoplePreview` names the people before anything is changed. */
function PeoplePreview({ people, isNew }: { people: readonly JoinedPerson[]; isNew: boolean }) {
  const { t } = useLingui();
  const problems = findProblems(people).length;
  const preview = useRef<HTMLDivElement>(null);
  // On a phone it would begin below what is seen.
  useEffect(() => {
    // What it returns in newer browsers is no clean-up.
    preview.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={preview} className="flex flex-col gap-3">
      {problems > 0 ? (
        <Alert
          tone="warn"
          title={
            <Plural
              value={problems}
              one="# person cannot be added. Correct the list: it is added as a whole."
              other="# people cannot be added. Correct the list: it is added as a whole."
            />
          }
        />
      ) : (
        <p role="status">
          {isNew ? (
            <Plural
              value={people.length}
              one="The team gets # member."
              other="The team gets # members."
            />
          ) : (
            <Plural
              value={people.length}
              one="# person is ready to be added."
              other="# people are ready to be added."
            />
          )}
        </p>
      )}
      <SmallTable
        label={t`Preview`}
        words={[t`Username`, t`Role`, t`Remark`]}
        height="max-h-[40dvh]"
      >
        <tbody>
          {people.map((person) => (
            <PreviewRow key={person.username} person={person} />
          ))}
        </tbody>
      </SmallTable>
    </div>
  );
}

function PreviewRow({ person: { username, role, is_member, problem } }: { person: JoinedPerson }) {
  const { t } = useLingui();
  const remark: ReactNode =
    problem !== null ? (
      <span className="text-bad">{formatRefusalMessage(problem.code, problem.message)}</span>
    ) : is_member ? (
      <Trans>Already in the team</Trans>
    ) : null;
  return (
    <tr className="border-line border-t align-top">
      <td dir="auto" className="px-3 py-1.5 [overflow-wrap:anywhere]">
        {username}
      </td>
      <td className="px-3 py-1.5">{t(teamRoleLabels[role])}</td>
      <td className="px-3 py-1.5">{remark}</td>
    </tr>
  );
}

type PeopleAddedProps = {
  team: Team;
  people: readonly JoinedPerson[];
  isNew: boolean;
  onClose: () => void;
};

/** The keys are shown only here, to copy or save as a whole. */
function PeopleAdded({ team, people, isNew, onClose }: PeopleAddedProps) {
  const { t } = useLingui();
  const hasKeys = people.some(({ key }) => key !== "");
  const { name } = team;
  return (
    <Dialog
      open
      width="md"
      onClose={onClose}
      keepsInput={hasKeys}
      title={<Trans>People of {name}</Trans>}
      footer={
        <>
          {isNew && (
            <ButtonLink
              to="/teams/$id/{-$tab}"
              params={{ id: readEntityRef(team), tab: "members" }}
              onClick={onClose}
            >
              <Trans>Open the team</Trans>
            </ButtonLink>
          )}
          <Button variant="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      {hasKeys ? (
        <BatchResult
          title={<Trans>Keys</Trans>}
          entries={people.map(({ username, key }) => ({ name: username, secret: key }))}
          isRunning={false}
          secretName={t`API key`}
          fileName={`${name}-keys.csv`}
          warning={t`The keys are shown only here: copy or save them before you leave.`}
        />
      ) : (
        <p role="status">
          <Plural
            value={people.length}
            one="# person is in the team."
            other="# people are in the team."
          />
        </p>
      )}
    </Dialog>
  );
}
