// What a company's own page would do: ask its own server for the signed-in person's access token
// and hand it to the elements. Here the demo service stands in for that server.

async function account() {
  const answer = await fetch("/demo.json");
  if (!answer.ok) throw new Error("This service runs without demo data: start it with --demo.");
  return answer.json();
}

async function freshToken() {
  const answer = await fetch("/demo/token", { method: "POST" });
  return (await answer.json()).accessToken;
}

const demo = await account();
for (const element of document.querySelectorAll("booking-list, booking-roles")) {
  element.setAttribute("org-id", demo.orgId);
  element.setAttribute("team-id", demo.teamId);
  element.session = { baseUrl: location.origin, token: demo.accessToken, getToken: freshToken };
}
