import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { searchTokens, type Token } from "@tollgate/contract/accounts/tokens.ts";
import { api } from "../../api-queries.ts";

/** `TokenLoss` says who notices that a key is gone. */
export function TokenLoss({ token }: { token: Pick<Token, "id"> }) {
  const query = { keyword: `#${token.id}`, recent: "true" } as const;
  const found = useQuery({
    ...api.query(searchTokens, { query }),
    select: ({ data }) => data[0]?.recent,
  });
  const calls = (found.data ?? []).reduce((sum, day) => sum + day.requests, 0);
  return (
    <>
      <p>
        <Trans>Programs that use this key stop working at once.</Trans>
      </p>
      {found.data !== undefined && (
        <p>
          <Plural
            value={calls}
            one="# call in the last 14 days."
            other="# calls in the last 14 days."
          />
        </p>
      )}
    </>
  );
}
