import { Trans } from "@lingui/react/macro";
import { ButtonLink } from "../ui/button.tsx";
import { useOffers } from "./use-offers.ts";

export function VisitorLinks() {
  const { register } = useOffers();
  return (
    <>
      {register !== undefined && (
        <ButtonLink to={register} variant="ghost" size="sm">
          <Trans>Register</Trans>
        </ButtonLink>
      )}
      <ButtonLink to="/login" variant="ghost" size="sm">
        <Trans>Login</Trans>
      </ButtonLink>
    </>
  );
}
