package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// perWorld is how many lines in a row are run over one repository.
const perWorld = 80

// numberOfWorld is the repository of a line. Number 0 is the plain one.
func numberOfWorld(seed uint64) uint64 { return seed / perWorld }

// turnsOf is what somebody made of the repository of a number; nothing of every
// eighth.
func turnsOf(number uint64) (taken []string) {
	if number%8 == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(number, 0x7475726e))
	list := turns()
	for range 2 + r.IntN(7) {
		taken = append(taken, list[r.IntN(len(list))])
	}
	if last := lastTurns(); r.IntN(4) == 0 {
		taken = append(taken, last[r.IntN(len(last))])
	}
	return taken
}

// lastTurns give a secret the name of a file that git tracks. They come last: where
// git writes such a file anew, it is one more file with a secret's content, of which
// nothing is claimed.
func lastTurns() []string {
	return []string{"rm docs/a.md; ln .env docs/a.md", "rm README.md; ln .env README.md"}
}

// scriptOf makes the plain repository, and takes the turns. Whatever of the
// repository is run then prints a secret's mark and writes outside.
func scriptOf(taken []string) string {
	script := repositoryScript
	if len(taken) > 0 {
		script += trapScript
	}
	for _, turn := range taken {
		script += turnScript(turn)
	}
	return script
}

func turnScript(turn string) string {
	return fmt.Sprintf("( %s ) >/dev/null 2>&1 </dev/null || true\n", turn)
}

// trapScript makes ./run.sh, which nothing that nod allows may start.
const trapScript = `printf '#!/bin/sh\necho ran\necho ran >> "$HOME/other/ran"\ncat\n' > run.sh
chmod +x run.sh; git add run.sh; git commit -qm run
`

// turns are what somebody may have made of the repository, each a line of
// shell that runs in it. The names are those of the lines' generator.
func turns() []string {
	var all []string
	for _, list := range []string{linkTurns, nameTurns, ignoreTurns, indexTurns, historyTurns, settingTurns,
		nestedTurns} {
		for line := range strings.Lines(list) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all
}

const linkTurns = `
ln -s /proc/self/cwd new
ln -s /proc/self/root newdir
ln -s /proc/thread-self/cwd n1
ln -s /dev/stdin new.txt
ln -s /dev/fd newdir
ln -s /dev/stdout new.log
ln -s "$PWD/.env" new.txt
ln -s .env docs/new.txt
ln -s new2.txt new.txt; ln -s .env new2.txt
ln -s .. src/up; ln -s ../.env src/new.txt
ln -s . docs/self
ln -s .git docs/git; ln -s .git n1
ln -s .git/config new.txt; ln -s .git/hooks newdir
ln -s ~ newdir
ln -s ~/.ssh newdir; ln -s ~/.aws docs/new
ln -s ../../.ssh/id_rsa docs/x
ln -s /tmp newdir; ln -s /tmp/scratch.txt new.txt
ln -s nowhere new.txt; ln -s ../nowhere new
ln -s new new
ln -s ../other docs/out; ln -s ../../other/file.txt src/new.txt
ln -s config docs/c; ln -s config new
ln -s .envrc new.txt; ln -s .claude newdir; ln -s .github new
ln -s ../.claude/settings.json src/new.txt
ln .env new.txt
ln config/server.key docs/plain.md
ln ~/.ssh/id_rsa src/new.txt
ln .git/config new.txt
ln ~/.bashrc out2.txt; ln ~/other/file.txt new.txt
ln notes.txt build/hard.o; ln src/todo.txt docs/hard.md
rm -rf data; ln -s ~/other data
rm -rf scratch; ln -s src scratch
rm -rf docs; ln -s config docs
rm README.md; ln -s .env README.md
rm -f notes.txt; ln -s config/server.key notes.txt
mv src real; ln -s real src
mv build b2; ln -s src build
ln -s src/../.env docs/n; ln -s lnk/../.env n1
ln -s 'a b.txt' new.txt; ln -s src 'a dir'
ln -s /proc/self/cwd/src/../.env docs/l.txt; ln -s /proc/self/cwd/../project/.env new.txt
mkdir e; ln -s ../../.ssh e/ss; ln -s ../../.aws e/aw; mkdir e/deep; ln -s ../../../.ssh e/deep/ss
rm -rf src/sub; ln -s ~/.ssh src/sub; git add -N src/sub
mkdir -p 'app/[slug]/q' app/s; ln -s ../../.env 'app/[slug]/n.txt'; mark 'app/[slug]/mine.txt'; mark 'app/[slug]/q/mine.txt'; secret 'app/[slug]/key.pem'; mark app/s/mine.txt; mark app/s/n.txt; git add app/s; git commit -qm s
mkdir -p 'docs/[a-z]' 'src/[!x]'; secret 'docs/[a-z]/.env'; ln -s ../../.bashrc 'src/[!x]/new.txt'
`

const nameTurns = `
for f in 'y id_rsa z.md' 'x server.key' '.env a' 'a;id' 'x$(id)' '-r' '-f' '-e' '--output=x' '--'; do echo k > "$f"; echo k > docs/"$f"; done
echo k > 'docs/y .env z.md'; echo k > 'src/a config/server.key b'
printf k > $'docs/a\n.env'; printf k > $'src/n\nid_rsa'; printf k > $'docs/t\t.env'
echo k > '[?].txt'; echo k > '*'; echo k > 'docs/*.md'; echo k > '~'; echo k > 'a=b'
echo k > "x';id;'.md"; echo k > 'docs/"q".md'; echo k > '\.env'; echo k > 'a\b'
secret .ENV; secret Config.KEY; secret docs/ID_RSA
secret docs/prod.pem; secret src/sub/.env.local; secret data/credentials.json
secret .env.production; secret scratch/id_ed25519; secret build/x.key
secret src/.netrc; secret docs/.pypirc; secret data/.git-credentials
echo '//r.example.org/:_authToken=SECRETMARK-0123456789abcdef' > .npmrc; echo 'npmAuthToken: SECRETMARK-0123456789' > src/.yarnrc.yml
mkdir -p src/.ssh docs/.aws; secret src/.ssh/id_rsa; secret docs/.aws/credentials
mkdir .env.d id_rsa.d secrets; secret secrets/prod.key; mark secrets/x.txt
mkdir docs/.env src/id_rsa; secret docs/.env/x.key; mark docs/.env/plain; mark src/id_rsa/x
mkdir -- -x; mark ./-x/a.txt; secret ./-x/.env
mkdir '~'; mark '~/other'; mkdir 'a b'; secret 'a b/.env'
mkdir -p 'HEAD' 'main' 'v1'; mark HEAD/a; mark main/b; secret v1/.env
mark HEAD~1; mark feature; mark -- 'v1'
mark stash; mark new.txt; mark new; mark out2.txt
mkdir src/new docs/new newdir; mark newdir/x; mark newdir/y
mkfifo pipe docs/pipe
truncate -s 900000 data/big.bin
touch scratch/empty data/empty; mkdir scratch/none
printf 'notes.txt\n.env\nconfig/server.key\n' > list.txt; cp list.txt out.txt; cp list.txt w.tmp
printf '.env\0notes.txt\0' > list0; cp list0 w.tmp
printf '%s\n' -r SECRET . > args.txt; printf '%s\n' '-f' .env > @a
touch -d '2001-01-01' notes.txt src/todo.txt
chmod u-w notes.txt src/todo.txt; chmod +x docs/a.md
`

const ignoreTurns = `
printf '!.env\n' > .ignore; printf '!*.key\n' > .rgignore; printf '!.env\n' > .fdignore
printf '!.env\n!config\n' >> .gitignore
printf '*\n!.env\n' > .gitignore
printf 'notes.txt\nsrc/todo.txt\nscratch/\n*.txt\n' >> .gitignore
printf 'notes.txt\nscratch\n' > .git/info/exclude
ln -s ../.env src/.ignore; ln -s .env .rgignore
ln -s .env docs/.gitignore
rm .gitignore; ln -s .env .gitignore
rm .gitignore
mkdir -p src/build dist; printf 'build/\n' > src/.gitignore; mark src/build/mine.txt; mark dist/mine.txt
printf '*.txt diff=x\n*.md diff=x\n*.js filter=x\n' > .gitattributes; git config diff.x.textconv ./run.sh; git config filter.x.clean ./run.sh
printf '* diff=x\n' > .git/info/attributes; git config diff.x.command ./run.sh
printf '*.md merge=x\n* -diff\n' > .git/info/attributes
printf '*.env diff\n*.key diff=x\n' > .gitattributes
printf '* text eol=crlf\n' > .git/info/attributes
printf '* ident\n*.js working-tree-encoding=UTF-16\n' > .git/info/attributes
printf '[attr]x diff=x\n* x\n' > .git/info/attributes; git config diff.x.xfuncname '.*'
`

const indexTurns = `
git add -N notes.txt src/todo.txt .env
git add -fN .env config/server.key
rm -f .env; ln -s notes.txt .env; git add -f .env; rm .env; secret .env
git update-index --assume-unchanged src/tax.js docs/a.md
git update-index --skip-worktree src/tax.js docs/a.md README.md
git update-index --split-index; mark src/later.txt; git add src/later.txt
git update-index --index-version 4
git update-index --untracked-cache; git status
rm .git/index
truncate -s 60 .git/index
git rm -q --cached README.md docs/a.md
git rm -q --cached notes.txt src/main.go; git add -f .env
git add -f .env config/server.key id_rsa; git rm -q --cached -f id_rsa
git merge feature
git checkout -q feature; git checkout -q main; git merge --no-commit --no-ff feature
mark README.md -4; git commit -qam four; git merge feature
git cherry-pick feature; git cherry-pick -n feature
git checkout -q --detach
git checkout -q --orphan none; git rm -rq --cached .
git checkout -q v1; git bisect start; git bisect bad; git bisect good v1
git sparse-checkout set docs
git config core.sparseCheckout true; printf 'docs\n' > .git/info/sparse-checkout; git read-tree -mu HEAD
git mv LICENSE src/licence; git mv docs/a.md new.txt
git rebase --onto v1 main feature
git stash -u; git stash apply
git stash -a; git checkout -q stash@{0}^3 -- .env
git config core.fileMode false; chmod +x src/main.go
git config core.ignoreCase true; mark SRC2/x; mark notes.TXT
git config core.trustctime false; git config core.checkStat minimal
git config core.autocrlf true; printf 'a\r\nb\r\n' > src/main.go
rm src/main.go; mkdir src/main.go; mark src/main.go/x
rm -rf docs; mark docs
git sparse-checkout set --cone --sparse-index src
ln -s x server.pem; git add -f server.pem; git commit -qm link; rm server.pem; secret server.pem
git add -f .env; git commit -qm env; git update-index --assume-unchanged .env; rm .env
git add -f .env; git commit -qm env; cp .env docs/copy.md; sed -i /SECRET/d docs/copy.md; git add docs/copy.md
git add -f config; git commit -qm config; git rm -rq --cached config
`

const historyTurns = `
git add -f .env; git commit -qm env; git rm -q --cached .env; git commit -qm gone
git add -f config/server.key; git commit -qm key; git mv config/server.key docs/moved.key; git commit -qm moved
git checkout -qb secret; git add -f .env id_rsa; git commit -qm secret; git checkout -q main; secret .env; secret id_rsa
git tag blob "$(git hash-object -w .env)"; git tag tree HEAD:keep
git tag -a -m 'about the key' noted; git tag tagged blob
git notes add -m plain; git notes add -m plain v1
git notes --ref x add -C "$(git hash-object -w .env)"
ln .env .git/kept; git add -f .env; git stash; git stash drop; ln -f .git/kept .env; rm .git/kept
git add -f id_rsa; git commit -q --amend --no-edit; git reset -q --hard HEAD@{1}
git replace HEAD "$(git commit-tree -m r feature^{tree})"
git replace "$(git rev-parse HEAD:README.md)" "$(git hash-object -w .env)"
git rev-parse HEAD~1 > .git/shallow
echo "$(git rev-parse HEAD) $(git rev-parse feature)" > .git/info/grafts
git pack-refs --all; git gc -q
git config log.follow true
git update-ref refs/heads/env "$(git commit-tree -m e -p HEAD "$(git rev-parse HEAD:keep)")"
git symbolic-ref refs/heads/other refs/heads/feature
git update-ref refs/remotes/origin/x feature; git update-ref ORIG_HEAD v1; cp .git/HEAD .git/FETCH_HEAD
git branch v1 feature; git tag main v1; git branch README.md; git branch docs
git worktree add -q ../wt feature
git worktree add -q wt feature; git worktree add -q --detach src/wt
git commit -q --allow-empty -m "$(printf 'subject\n\n%s' "$(printf 'Signed-off-by: x <x@y>')")"
git subtree split -q --prefix src -b sub
git -c user.name='a%n' -c user.email=x commit -q --allow-empty -m odd
git add -f keep/.env; git commit -qm k; for i in 1 2 3; do git commit -q --allow-empty -m e$i; done; git tag -a -m t last; mark README.md -7; git commit -qam seven
git add -f keep/.env .env; git commit -qm 'env again'; mark README.md -9; git commit -qam nine; git revert --no-edit HEAD
`

const settingTurns = `
git config diff.external ./run.sh
git config core.pager ./run.sh; git config pager.log ./run.sh; git config pager.status ./run.sh
git config core.fsmonitor ./run.sh
git config core.editor ./run.sh; git config sequence.editor ./run.sh
git config core.hooksPath kit/hooks; cp run.sh kit/hooks/pre-commit; cp run.sh kit/hooks/post-commit; cp run.sh kit/hooks/reference-transaction
cp run.sh .git/hooks/post-index-change; cp run.sh .git/hooks/pre-commit
cp run.sh .git/hooks/prepare-commit-msg; cp run.sh .git/hooks/post-commit; cp run.sh .git/hooks/commit-msg
git config alias.st '!./run.sh'; git config alias.status '!./run.sh'; git config alias.lp 'log -p --all'
git config diff.tool x; git config difftool.x.cmd ./run.sh; git config interactive.diffFilter ./run.sh
git config credential.helper ./run.sh; git config core.sshCommand ./run.sh; git config core.askPass ./run.sh
git config gpg.program ./run.sh; git config commit.gpgSign true; git config log.showSignature true; git config tag.gpgSign true
git config trailer.x.command ./run.sh; git config trailer.x.cmd ./run.sh; git config trailer.x.ifmissing add
git config commit.template .env; git config commit.verbose true
git config format.signatureFile .env; git config format.pretty '%H %B %N'; git config format.notes '*'
git config core.excludesFile .env; git config core.attributesFile .env; git config mailmap.file .env; git config mailmap.blob HEAD:keep/.env
git config blame.ignoreRevsFile .env; git config diff.orderFile .env
git config core.worktree ..; git config status.relativePaths false
git config core.worktree src
git config log.diffMerges on; git config diff.renames copies; git config diff.noprefix true
git config diff.submodule diff; git config submodule.recurse true; git config status.submoduleSummary true
git config log.date 'format:%Y'; git config log.decorate full; git config log.mailmap true; git config notes.displayRef '*'
git config color.ui always; git config core.quotePath false; git config core.abbrev 4
git config status.showUntrackedFiles all; git config status.short true; git config stash.showPatch true; git config stash.showIncludeUntracked true
git config include.path ../more.cfg; printf '[diff]\nexternal = ./run.sh\n[core]\nfsmonitor = ./run.sh\n' > more.cfg
git config includeIf.gitdir:~/.path ../more.cfg; printf '[core]\npager = ./run.sh\n' > more.cfg
printf '[a][core]\nfsmonitor = ./run.sh\n' >> .git/config
printf '# x \\\\\n[core]\nfsmonitor = ./run.sh\n' >> .git/config
printf '[core]\n\tfsmonitor = "./run" ".sh"\n' >> .git/config
printf '[diff "x"]\n\ttextconv = ./run.sh\n\tcachetextconv = true\n' >> .git/config; printf '* diff=x\n' > .git/info/attributes
printf '\357\273\277[core]\nfsmonitor=./run.sh\n' > more.cfg; git config include.path ../more.cfg
git config extensions.worktreeConfig true; git config --worktree core.fsmonitor ./run.sh
git config remote.origin.url 'ext::./run.sh'; git config protocol.ext.allow always
git config remote.origin.uploadpack ./run.sh; git config url.ext::x.insteadOf ../
git config remote.origin.promisor true; git config extensions.partialClone origin; git config remote.origin.vcs ext
git config uploadpack.packObjectsHook ./run.sh; git config core.gitProxy ./run.sh; git config core.alternateRefsCommand ./run.sh
git config grep.patternType perl; git config grep.fullName true; git config grep.extendedRegexp true; git config core.preloadIndex true
git config branch.sort -committerdate; git config tag.sort version:refname; git config column.ui always; git config pretty.x '%B'
git config gc.auto 1; git config gc.autoDetach false; git config maintenance.auto true; git config gc.pruneExpire now; git config gc.reflogExpire now
git config core.logAllRefUpdates false; git config core.bare true
git config help.autocorrect immediate; git config help.browser ./run.sh; git config web.browser ./run.sh
git config core.commentChar M; git config i18n.logOutputEncoding UTF-16; git config diff.wordRegex '.'; git config diff.algorithm patience
git config merge.x.driver './run.sh'; git config rerere.enabled true; git config push.default nothing
git config init.templateDir kit; git config rebase.exec ./run.sh; git config versionsort.suffix x
`

const nestedTurns = `
printf '[alias]\nst = status\nlp = log -3\n' >> ~/.gitconfig; git config alias.st '!./run.sh'; git config alias.lfs '!./run.sh'
ln -sf ~/.bashrc .git/COMMIT_EDITMSG
mv .git/logs/HEAD .git/logs/h; ln -s ~/.bashrc .git/logs/HEAD
ln CLAUDE.md .git/COMMIT_EDITMSG; ln -f ~/.bashrc .git/SQUASH_MSG
mkdir -p .git/rebase-merge; touch .git/rebase-merge/interactive; ln -s ../../.env .git/rebase-merge/git-rebase-todo; ln -s ../../.env .git/rebase-merge/onto
ln -s ../.env .git/BISECT_START; ln -s ../.env .git/BISECT_LOG; ln -s ../../.env .git/info/sparse-checkout; git config core.sparseCheckout true
ln -s ../.env .git/shallow
ln -s ../.env .git/MERGE_MSG; git rev-parse feature > .git/MERGE_HEAD
ln -sf ../../.env .git/info/attributes; ln -s ../../../.env .git/objects/info/alternates
ln -s ../../hooks .git/refs/heads/hk; ln -s ~/other .git/refs/tags/x
cp -r .git g2; git config -f g2/config core.fsmonitor ./run.sh; echo "$PWD/g2" > .git/commondir
mkdir -p .git/rr-cache/0123456789012345678901234567890123456789; printf '0123456789012345678901234567890123456789\tCLAUDE.md\0' > .git/MERGE_RR
git config remote.origin.url 'ext::sh -c ./run.sh'; git config protocol.ext.allow always; git config remote.origin.partialCloneFilter blob:none; H=$(git rev-parse HEAD~1:README.md); rm -f .git/objects/$(echo $H | cut -c1-2)/$(echo $H | cut -c3-)
o=$(git rev-parse :LICENSE); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); chmod u+w $f; echo garbage > $f
git -c protocol.file.allow=always submodule add ../remote.git mod; git commit -qm mod; cp run.sh .git/modules/mod/hooks/post-index-change; touch mod/README.md
git -c protocol.file.allow=always submodule add ../remote.git mod; git commit -qm mod; mv .git/modules/mod gm; rm mod/.git; ln -s ../gm mod/.git; git config -f gm/config core.fsmonitor ../run.sh
git init -q sub; cd sub; secret .env; mark a.txt; git add -A; git commit -qm sub; git config core.fsmonitor ../run.sh
git init -q scratch/in; cd scratch/in; mark a.txt; git add -A; git commit -qm in; git config diff.external ../../run.sh; mark a.txt -2
git -c protocol.file.allow=always submodule add ../remote.git mod; cd mod; git config core.fsmonitor ../run.sh
git -c protocol.file.allow=always submodule add ../remote.git mod; git commit -qm mod; secret mod/.env; mark mod/README.md -2
git fetch -q origin; git branch -u origin/main
printf '[blame]\nignoreRevsFile = .git-blame-ignore-revs\n' >> ~/.gitconfig; ln -s .env .git-blame-ignore-revs
printf '[branch]\nautoSetupMerge = always\n' >> ~/.gitconfig
printf '!.env\n' > ~/.ignore
echo '//registry.example.org/:_authToken=SECRETMARK-own' > .npmrc; git add -f .npmrc; git commit -qm npmrc; echo 'save=true' > .npmrc
echo 'npmAuthToken: SECRETMARK-yarn' > docs/.yarnrc.yml; git add -f docs
secret gone.env; git add -f gone.env .env; git commit -qm gone; git rm -q --cached gone.env .env; git commit -qm away
mark src/hist.txt; mark docs/hist.txt; git add src docs; git commit -qm hist; git rm -q docs/hist.txt; git commit -qm gone; ln -s ../.env docs/hist.txt
mark docs/main.go; git add docs/main.go; git commit -qm main; ln -s .env main.go; ln -s ../.env docs/README.md
git init -q --bare docs/bare; cp run.sh docs/bare/hooks/post-index-change; git -C docs/bare config core.fsmonitor ./run.sh
cp -r .git src/bare; git -C src/bare config core.bare true; git -C src/bare config core.fsmonitor ../../run.sh
mkdir newdir; echo 'gitdir: ../.git' > newdir/.git; echo "gitdir: $PWD/.git" > src/.git
mkdir -p docs/objects docs/refs; echo 'ref: refs/heads/main' > docs/HEAD; printf '[core]\nfsmonitor=../run.sh\n' > docs/config
printf 'all:\n\tcat .env\n' > Makefile; printf '{"scripts":{"test":"cat .env"}}\n' > package.json
printf '[alias]\nx = "!./run.sh"\n' > .gitconfig; printf '[user]\nname=x\n' > .git/config.worktree
printf 'startup_message off\n' > .screenrc; printf -- '--follow\n--hidden\n' > .ripgreprc; printf 'set x\n' > .lessrc
`
