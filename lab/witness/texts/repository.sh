# The world of the file lines. Each file holds a word of its own, so that it can be told
# where its content went.
set -e
mark() { mkdir -p "$(dirname "$1")"; printf 'MARK-%s\none\ntwo\n' "$(printf %s "$1" | tr '/ ' '__')$2" > "$1"; }
secret() { mark "$1"; echo "SECRETMARK-$(printf %s "$1" | tr '/ ' '__')" >> "$1"; }
cd "$HOME"
git config --global user.name dev; git config --global user.email dev@example.org; git config --global init.defaultBranch main; git config --global gc.auto 0
for f in .bashrc other/file.txt other/deep/x.txt .claude/settings.json .config/nod/nod.toml; do mark $f; done
for f in .ssh/id_rsa .aws/credentials .netrc; do secret $f; done
echo '//registry.example.org/:_authToken=SECRETMARK-npmrc' > .npmrc
mkdir -p project; cd project; git init -q
for f in README.md LICENSE src/main.go src/tax.js src/sub/c.c docs/a.md data/b.csv 'a b.txt' x.sh gone.txt src/half.txt; do mark "$f" -1; done
for f in a b c d f x y 1 a.txt file.txt main.go a.json a.c a.html a.xml a.md; do mark $f; done
printf 'build/\ndist/\n*.log\n.env\n*.key\nlocal.cfg\n' > .gitignore
secret keep/.env; git add -f keep/.env; mark kit/hooks/x; mark kit/settings.json; git add -A; git commit -qm one; git tag v1
mark README.md -2; git commit -qam two
git checkout -qb feature; mark CLAUDE.md; mark .claude/settings.json; mark notes-feature.md; mark README.md -3; git add -A; git commit -qm feature; git checkout -q main
mark src/tax.js -stash; git stash -q
mark src/tax.js -changed; mark docs/a.md -changed
mark src/staged.txt; mark src/half.txt -staged; git add src; mark src/half.txt -later; git reset -q src/tax.js
rm gone.txt
mark notes.txt; mark src/todo.txt; mark scratch/one.txt; mark scratch/deep/two.txt; mark out.txt; mark w.tmp; mark @x
mark build/o.o; mark build/deep/p.o; mark debug.log; mark local.cfg
secret .env; secret config/server.key; secret id_rsa
tar cf pack.tar src/main.go notes.txt; gzip -k notes.txt; gzip -c docs/a.md > a.md.gz; mv notes.txt.gz old.gz
ln -s src lnk; ln -s ../other outside; ln -s notes.txt notes-link; ln -s .env envlink; ln notes.txt hard.txt
git clone -q --bare . ../remote.git; git remote add origin ../remote.git
# Nothing that nod allows may start this.
printf '#!/bin/sh\necho ran\necho ran >> "$HOME/other/ran"\ncat\n' > run.sh
chmod +x run.sh; git add run.sh; git commit -qm run
