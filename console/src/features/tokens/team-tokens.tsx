import { TeamKeys } from "../../components/teams/team-keys.tsx";
import { TeamOfAddress } from "../../components/teams/team-of-address.tsx";

/** The keys that a team pays for, in place of the own ones. */
export const TeamTokens = ({ team }: { team: string }) => (
  <TeamOfAddress team={team}>{(props) => <TeamKeys {...props} />}</TeamOfAddress>
);
