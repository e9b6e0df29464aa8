// Script of the page with code to copy: puts the address of the service into it, with buttons that copy.

const service = new URL("..", import.meta.url).href.replace(/\/$/, "");
for (const code of document.querySelectorAll("pre > code")) {
  code.textContent = code.textContent.replaceAll("https://book.example", service);
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
  code.parentElement.after(button);
}
