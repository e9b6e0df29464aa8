// Script of the demo page: sets the session of the elements, with a token from the page's own server. A company's
// page would do the same for the signed-in user.

async function fetchAccount() {
  const response = await fetch("/demo.json");
  if (!response.ok) throw new Error("This service runs without demo data: start it with --demo.");
  return response.json();
}

async function getToken() {
  const response = await fetch("/demo/token", { method: "POST" });
  return (await response.json()).accessToken;
}

const account = await fetchAccount();
for (const element of document.querySelectorAll("booking-list, booking-roles")) {
  element.setAttribute("org-id", account.orgId);
  element.setAttribute("team-id", account.teamId);
  element.session = { baseUrl: location.origin, token: account.accessToken, getToken };
}
