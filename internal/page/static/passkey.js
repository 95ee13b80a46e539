// Makes a passkey, or signs with one, and hands what the authenticator says to the form.
async function made(form) {
  const answer = await fetch('/passkeys/begin', { method: 'POST', body: new URLSearchParams({ form: form.form.value }) });
  if (!answer.ok) throw new Error('this page cannot add one');
  return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(await answer.json()) });
}

function signed(form) {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
  return navigator.credentials.get({ publicKey: options });
}

const form = document.getElementById('make') ?? document.getElementById('sign');
form.addEventListener('submit', async (e) => {
  if (form.credential.value) return;
  e.preventDefault();
  try {
    const credential = await (form.id === 'make' ? made : signed)(form);
    form.credential.value = JSON.stringify(credential.toJSON());
    form.requestSubmit();
  } catch (wrong) {
    document.getElementById('wrong').textContent = 'It did not work: ' + wrong.message;
  }
});
