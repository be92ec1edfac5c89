"""Who may ask the web endpoint what: tokens, client certificates, and tenants."""

from typing import Final

from aiohttp import web

from scorer.access.entry import Entry
from scorer.access.names import names_in_peercert
from scorer.errors import ForbiddenError

_TENANT: Final = web.RequestKey("tenant", str)


def admit(request: web.Request, entry: Entry) -> None:
    """Note the tenant that a request is from.

    Raises:
        UnauthenticatedError: It has no token, or one that is not known.
        ForbiddenError: The names in its client certificate are not those that may enter.
    """
    if entry.asks_for_names:
        entry.require_name(names_in_peercert(request.get_extra_info("peercert")))
    request[_TENANT] = entry.tenant_of(request.headers.getall("Authorization", []))


def tenant_of(request: web.Request) -> str | None:
    """Return the tenant that an admitted request is about; None = it may see all, and chose none.

    Raises:
        ForbiddenError: It is from one tenant and asks for another (`?tenant=`).
    """
    own, asked = request[_TENANT], request.query.get("tenant")
    if own and asked not in (None, own):
        raise ForbiddenError(f"your token is of tenant {own}, and sees no other tenant")
    return own or asked


def require_all_tenants(request: web.Request) -> None:
    """Check that an admitted request may see what all tenants do together.

    Raises:
        ForbiddenError: It is from one tenant.
    """
    if request[_TENANT]:
        raise ForbiddenError(
            f"{request.path} is about all tenants; use a token without a tenant for it"
        )
