"""
Operates the gateway as an agent does, with the protocol's own library of Python: the first argument is the command of the server as JSON.
Prints what the tools answered as JSON.
"""

import asyncio
import json
import sys

from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main():
    async with stdio_client(StdioServerParameters(**json.loads(sys.argv[1]))) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools

            async def use(name, arguments):
                reply = await session.call_tool(name, arguments)
                return {"is_error": bool(reply.is_error), "text": reply.content[0].text}

            token = {"body": {"name": "of the Python agent"}}
            print(
                json.dumps(
                    {
                        "tools": [tool.name for tool in tools],
                        "untried": await use("createToken", {**token, "dry_run": False}),
                        "tried": await use("createToken", token),
                        "before": await use("listTokens", {}),
                        "made": await use("createToken", {**token, "dry_run": False}),
                        "after": await use("listTokens", {}),
                        "closed": await use("listUsers", {}),
                    }
                )
            )


asyncio.run(main())
