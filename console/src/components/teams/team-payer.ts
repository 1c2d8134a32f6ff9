import { useSearch } from "@tanstack/react-router";

const uuid = /^[\da-f-]{36}$/i;

/**
 * `useTeamPayer` gives the team of the address, whose calls the page is about; undefined for what
 * the own balance pays.
 */
export function useTeamPayer(): string | undefined {
  const { team }: Record<string, unknown> = useSearch({ strict: false });
  return typeof team === "string" && uuid.test(team) ? team : undefined;
}

/** The part of a query that names the team. */
export const planTeamQuery = (team: string | undefined): { team_id?: string } =>
  team === undefined ? {} : { team_id: team };
