import { Trans } from "@lingui/react/macro";
import { useManagementKeys } from "../../components/management-keys/use-management-keys.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** The keys of programs that manage this team alone. Each has the rights of an admin who made it. */
export function TeamManagementKeys({ team }: Pick<TeamTabProps, "team">) {
  const { withReauth, dialog } = useReauth();
  const { isMaking, begin, form, list } = useManagementKeys(withReauth, team);
  return (
    <>
      {form}
      <Card
        className="max-w-xl"
        title={<Trans>Management keys</Trans>}
        note={
          <Trans>
            For programs that manage this team: each has a part of the rights of the team admin who
            made it, in this team alone.
          </Trans>
        }
        // Who is no admin of the team has no rights in it that a key could have a part of.
        action={
          team.role === "admin" && !isMaking ? (
            <Button size="sm" onClick={begin}>
              <Trans>New key</Trans>
            </Button>
          ) : undefined
        }
      >
        {list}
      </Card>
      {dialog}
    </>
  );
}
